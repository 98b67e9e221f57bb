//! The server: what is let in, and what it gets.

use crate::assets;
use crate::connection;
use crate::guard::{self, Guard};
use crate::limits::{Ledger, Limits};
use crate::protocol::ask::MAX_FRAME;
use crate::shared::Shared;
use crate::source::{self, Opened};
use axum::Router;
use axum::extract::{Path, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use rayon::ThreadPoolBuilder;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

/// How long connections and worlds have to end after the server was told to.
const PATIENCE: Duration = Duration::from_secs(3);

/// How the server is set up.
#[derive(Debug)]
pub struct Options {
    /// The address that it listens on.
    pub listen: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The map that tabs begin with.
    pub map: Option<Opened>,
    /// What connections may hold.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            map: None,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// Reads the map that tabs begin with; in words why no tab could show it.
    pub fn open(&mut self, name: &str, bytes: &[u8], costs: &str) -> Result<(), String> {
        let opened = source::read_file(name, bytes, costs)?;
        let grid = opened.map.grid();
        if grid.passable_count() == 0 {
            return Err("no cell of the map can be stood on".to_string());
        }
        let size = (grid.width(), grid.height());
        Ledger::new(self.limits).map(size, source::stretches(grid))?;
        self.map = Some(opened);
        Ok(())
    }
}

/// A server that has its address and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: Shared,
    stop: watch::Sender<bool>,
}

impl Server {
    /// Takes an address and a token.
    pub async fn bind(options: Options) -> io::Result<Server> {
        let listener = TcpListener::bind((options.listen, options.port)).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let threads = ThreadPoolBuilder::new().thread_name(|number| format!("tick {number}"));
        let ticking = threads.build();
        let state = Shared {
            guard: Arc::new(Guard::new(address)?),
            ledger: Ledger::new(options.limits),
            given: options.map.map(Arc::new),
            stopped,
            ticking: Arc::new(ticking.map_err(io::Error::other)?),
        };
        Ok(Server {
            listener,
            address,
            state,
            stop,
        })
    }

    /// What to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.state.guard.token())
    }

    /// What connections hold.
    pub fn ledger(&self) -> Ledger {
        self.state.ledger.clone()
    }

    /// Answers until `stop` is there; then says good-bye to all tabs and waits a few seconds for them and their worlds to end.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let (ledger, state) = (self.ledger(), self.state);
        let routes = Router::new()
            .route("/{token}/", get(page))
            .route("/{token}", get(without_slash))
            .route("/{token}/socket", get(socket))
            .route("/{token}/{file}", get(file))
            .fallback(|| async { guard::refusal(StatusCode::NOT_FOUND, "there is nothing here") })
            .layer(middleware::from_fn_with_state(state.clone(), check))
            .with_state(state);
        let sender = self.stop;
        let mut stopped = sender.subscribe();
        let stopping = async move {
            stop.await;
            // There may be nobody to tell.
            let _ = sender.send(true);
        };
        let serving = axum::serve(self.listener, routes).with_graceful_shutdown(stopping);
        let ending = async {
            serving.await?;
            while ledger.taken()[0] > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        };
        let patience_ends = async {
            connection::until_stopped(&mut stopped).await;
            tokio::time::sleep(PATIENCE).await;
        };
        // Half a request, or a world that indexes a large map, is left to itself.
        tokio::select! {
            ended = ending => ended,
            () = patience_ends => Ok(()),
        }
    }
}

/// Serves on threads of its own until Ctrl-C, of which a second ends it without good-byes, and tells the address when it can be opened.
pub fn play(options: Options, announce: impl FnOnce(&str)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let server = Server::bind(options).await?;
        announce(&server.url());
        let (told, heard) = oneshot::channel();
        let stop = async {
            told_to_stop().await;
            // Who has ended already does not listen.
            let _ = told.send(());
        };
        let told_again = async {
            match heard.await {
                Ok(()) => told_to_stop().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            served = server.run(stop) => served,
            () = told_again => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_millis(200));
    served
}

/// Ctrl-C, or what ends programs elsewhere.
async fn told_to_stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let ended = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => _ = signal.recv().await,
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let ended = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = ended => {}
    }
}

/// Refuses what is not for us before anything else looks at it.
async fn check(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    match shared.guard.admit(request.headers(), request.uri().path()) {
        Ok(()) => next.run(request).await,
        Err((status, words)) => guard::refusal(status, words),
    }
}

/// The address without its last slash leads to the one with it.
async fn without_slash(Path(token): Path<String>) -> Redirect {
    Redirect::permanent(&format!("/{token}/"))
}

async fn page(headers: HeaderMap) -> Response {
    give("", &headers)
}

async fn file(Path((_, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    give(&name, &headers)
}

/// A file of the page. Nothing comes from the disk.
fn give(name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = assets::asset(name) else {
        return guard::refusal(StatusCode::NOT_FOUND, "there is nothing here");
    };
    let mut response = asset.bytes.into_response();
    let kind = HeaderValue::from_static(asset.kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    guard::add_policy(&mut response, headers);
    response
}

async fn socket(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .on_upgrade(|socket| connection::serve(socket, shared))
}
