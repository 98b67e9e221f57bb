//! What a hostile or broken page can do to the server: nothing but lose its own connection.

mod client;

use client::{Client, Running, get, request};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use waypost::rng::Rng;
use waypost_play::Limits;
use waypost_play::protocol::VERSION;
use waypost_play::protocol::ask::{MAX_FRAME, MAX_PART};

fn small_limits() -> Limits {
    Limits {
        cells: 50_000,
        all_cells: 400_000,
        upload_bytes: 600_000,
        all_upload_bytes: 2_000_000,
        ..Limits::default()
    }
}

/// Kilobytes that the process holds, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_come_and_go_and_memory_returns() {
    let running = Running::begin(Limits::default()).await;
    let mut held = Vec::new();
    for round in 0..125u32 {
        let mut tabs = Vec::new();
        for tab in 0..8 {
            let mut client = Client::open(&running.url).await;
            client.ask(json!({ "ask": "generate", "kind": "caves", "width": 60 + tab, "height": 40, "seed": round, "terrain": false })).await;
            if round % 5 == 0 {
                client.note("ready").await;
                client.ask(json!({ "ask": "crowd", "units": 50, "spec": "waypost", "exclusive": false, "seed": 1 })).await;
                client
                    .ask(json!({ "ask": "tile", "zoom": 0, "x": 0, "y": 0 }))
                    .await;
                client.frame(2).await;
            }
            tabs.push(client);
        }
        for (i, tab) in tabs.into_iter().enumerate() {
            match i % 2 {
                0 => tab.close().await,
                // As browsers that crash do.
                _ => drop(tab),
            }
        }
        running.wait_until_empty().await;
        if round == 24 || round == 124 {
            held.extend(resident());
        }
    }
    assert_eq!(running.ledger.taken(), [0, 0, 0]);
    if let [early, late] = held[..] {
        let grown = late.saturating_sub(early);
        assert!(
            grown < 40_000,
            "{early} kB after 200 connections, {late} kB after 1,000"
        );
        println!("memory: {early} kB after 200 connections, {late} kB after 1,000");
    }
    running.end().await;
}

/// Frames that no page sends.
fn malformed(rng: &mut Rng) -> Vec<u8> {
    let good = [
        r#"{"ask":"tile","zoom":3,"x":1,"y":2}"#,
        r#"{"ask":"draw","stroke":1,"paint":"wall","brush":1,"points":[[1,2]]}"#,
        r#"{"ask":"send","epoch":1,"units":[1,2],"goal":[3,4]}"#,
    ];
    let good = good[rng.below(3) as usize].as_bytes();
    let framed = |kind: u8, body: &[u8]| [&[VERSION, kind], body].concat();
    let random = |rng: &mut Rng, most: u32| -> Vec<u8> {
        let length = rng.below(most);
        (0..length).map(|_| rng.next_u64() as u8).collect()
    };
    match rng.below(8) {
        0 => random(rng, 200),
        1 => framed(0, &random(rng, 3000)),
        2 => framed(2 + rng.below(250) as u8, good),
        3 => framed(0, &good[..rng.below(good.len() as u32) as usize]),
        4 => framed(1, &random(rng, 2000)),
        5 => [&[VERSION + 1 + rng.below(200) as u8, 0], good].concat(),
        6 => framed(
            0,
            format!(r#"{{"ask":"{}"}}"#, "[".repeat(rng.below(3000) as usize)).as_bytes(),
        ),
        _ => {
            let mut body = good.to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(body.len() as u32) as usize;
                body[at] = rng.next_u64() as u8;
            }
            framed(0, &body)
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_malformed_frames_close_their_connections_and_nothing_else() {
    let running = Running::begin(small_limits()).await;
    let mut witness = Client::open(&running.url).await;
    witness.ask(json!({ "ask": "given" })).await;
    witness.note("ready").await;
    let mut rng = Rng::new(11);
    let (mut closed, mut sent) = (0u32, 0u32);
    while sent < 10_000 {
        // Worlds end a moment after their connections.
        while running.ledger.taken()[0] > 8 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut client = Client::open(&running.url).await;
        // Most frames close the connection; what a mutation left in order does not.
        while sent < 10_000 {
            sent += 1;
            let is_text = rng.percent(3);
            let frame = malformed(&mut rng);
            let went = match is_text {
                true => client.send_text("{\"ask\":\"undo\"}").await,
                false => client.send(frame).await,
            };
            if !went || client.is_closed_soon().await {
                closed += 1;
                break;
            }
        }
        if sent % 1000 < 2 {
            witness
                .ask(json!({ "ask": "tile", "zoom": 0, "x": 0, "y": 0 }))
                .await;
            witness.frame(1).await;
        }
    }
    assert!(closed > 8_000, "{closed} of {sent} closed their connection");
    witness.ask(json!({ "ask": "search", "number": 7, "slot": 0, "spec": "waypost", "from": [5, 5], "goal": [9, 9] })).await;
    witness.frame(3).await;
    witness.close().await;
    running.wait_until_empty().await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_pages_and_foreign_names_are_refused() {
    let running = Running::begin(small_limits()).await;
    let (host, token) = (running.host(), running.token());
    let page = get(&host, &format!("/{token}/"), &[]).await;
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(
        page.contains("content-security-policy: default-src 'none'")
            && page.contains("no-referrer")
    );
    for path in [
        "/",
        "/x/",
        "/index.html",
        "/00000000000000000000000000000000/",
        "/socket",
        "//",
        "/%2e%2e/",
    ] {
        let answer = get(&host, path, &[]).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
    }
    for path in [
        "/../Cargo.toml",
        "/%2e%2e%2fCargo.toml",
        "/..%5cCargo.toml",
        "/nothing",
        "//etc/passwd",
        "/a/b/c",
    ] {
        let answer = get(&host, &format!("/{token}{path}"), &[]).await;
        let refused = ["403", "404"]
            .iter()
            .any(|code| answer.starts_with(&format!("HTTP/1.1 {code}")));
        assert!(refused && !answer.contains("[package]"), "{path}: {answer}");
    }
    let path = format!("/{token}/");
    for name in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.0.1",
    ] {
        let port = host.rsplit_once(':').map_or("", |(_, port)| port);
        let answer = request(&host, &path, &format!("{name}:{port}"), &[]).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{name}: {answer}");
    }
    let socket = format!("/{token}/socket");
    let upgrade = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    for origin in [
        "http://evil.example",
        "null",
        "https://localhost",
        "file://",
        "",
    ] {
        let headers = [&upgrade[..], &[("Origin", origin)]].concat();
        let answer = get(&host, &socket, &headers).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{origin}: {answer}");
    }
    let own = format!("http://{host}");
    let headers = [&upgrade[..], &[("Origin", own.as_str())]].concat();
    let answer = get(&host, &socket, &headers).await;
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    running.wait_until_empty().await;
    running.end().await;
}

fn part(bytes: &[u8]) -> Vec<u8> {
    [&[VERSION, 1], bytes].concat()
}

async fn upload(client: &mut Client, bytes: &[u8]) {
    client
        .ask(json!({ "ask": "upload", "name": "a.map", "bytes": bytes.len() }))
        .await;
    client.note("upload").await;
    for piece in bytes.chunks(MAX_PART) {
        client.send(part(piece)).await;
    }
}

fn map_of(width: usize, height: usize) -> Vec<u8> {
    let rows = format!("{}\n", ".".repeat(width)).repeat(height);
    format!("type octile\nheight {height}\nwidth {width}\nmap\n{rows}").into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_are_bounded_with_clear_words() {
    let running = Running::begin(small_limits()).await;
    let mut client = Client::open(&running.url).await;
    client
        .ask(json!({ "ask": "upload", "name": "a.map", "bytes": 1_000_000_000 }))
        .await;
    let words = client.trouble().await;
    assert!(
        words.contains("1000000000 bytes") && words.contains("600000 bytes"),
        "{words}"
    );
    // More cells than are taken, in a file that is small enough.
    upload(&mut client, &map_of(300, 200)).await;
    let words = client.trouble().await;
    assert!(
        words.contains("300 x 200") && words.contains("50,000"),
        "{words}"
    );
    client.ask(json!({ "ask": "generate", "kind": "maze", "width": 60_000, "height": 60_000, "seed": 1, "terrain": false })).await;
    assert!(client.trouble().await.contains("60000"));
    client.ask(json!({ "ask": "generate", "kind": "mace", "width": 60, "height": 60, "seed": 1, "terrain": false })).await;
    assert!(client.trouble().await.contains("mace"));
    // An image that says it is huge, a link that unpacks to more than is taken.
    let mut image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    image.extend([0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff, 1, 0, 0, 0, 0]);
    upload(&mut client, &image).await;
    assert!(client.trouble().await.contains("65535"));
    for (name, text) in [
        ("a.tmx", "<map width='40000' height='40000'>"),
        (
            "a.tmj",
            r#"{"width":40000,"height":40000,"orientation":"x","layers":[]}"#,
        ),
        (
            "a.ldtk",
            r#"{"layerInstances":[{"__cWid":40000,"__cHei":40000}]}"#,
        ),
        ("a.map", "type octile\nheight 40000\nwidth 40000\nmap\n"),
    ] {
        upload(&mut client, text.as_bytes()).await;
        let words = client.trouble().await;
        assert!(words.contains("40000 x 40000"), "{name}: {words}");
    }
    // So many parts that they take more than the cells do.
    let board = "type octile\nheight 200\nwidth 200\nmap\n".to_string();
    let rows = [".@".repeat(100) + "\n", "@.".repeat(100) + "\n"].concat();
    upload(&mut client, (board + &rows.repeat(100)).as_bytes()).await;
    let words = client.trouble().await;
    assert!(words.contains("20000 stretches"), "{words}");
    let packed = waypost_play::source::pack(&vec![b'.'; 5_000_000]);
    client
        .ask(json!({ "ask": "upload", "name": "x", "bytes": packed.len(), "packed": true }))
        .await;
    client.note("upload").await;
    client.send(part(&packed)).await;
    assert!(client.trouble().await.contains("600000"));
    upload(&mut client, b"type octile\nheight 1\nwidth 2\nmap\n.x\n").await;
    assert!(client.trouble().await.contains("a.map: "));
    upload(&mut client, b"type octile\nheight 1\nwidth 2\nmap\n@@\n").await;
    assert!(client.trouble().await.contains("stood on"));
    // And a good one by the same connection.
    upload(&mut client, &map_of(200, 200)).await;
    client.note("map").await;
    client.note("ready").await;
    client.ask(json!({ "ask": "crowd", "units": 10_001, "spec": "waypost", "exclusive": false, "seed": 1 })).await;
    assert!(client.trouble().await.contains("10001"));
    // More than was announced, what was not announced, and frames beyond all limits.
    for bytes in [
        vec![part(&[1; 100])],
        vec![part(&[1; 10]), part(&[1; 10])],
        vec![vec![VERSION; MAX_FRAME + 1]],
    ] {
        let mut other = Client::open(&running.url).await;
        if bytes.len() == 2 {
            other
                .ask(json!({ "ask": "upload", "name": "x", "bytes": 15 }))
                .await;
            other.note("upload").await;
        }
        for frame in bytes {
            other.send(frame).await;
        }
        assert!(other.is_closed_within(Duration::from_secs(20)).await);
    }
    client.close().await;
    running.wait_until_empty().await;
    assert_eq!(running.ledger.taken(), [0, 0, 0]);
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worlds_are_limited_and_come_back() {
    let limits = Limits {
        worlds: 3,
        all_cells: 20_000,
        ..small_limits()
    };
    let running = Running::begin(limits).await;
    let mut tabs = Vec::new();
    for _ in 0..3 {
        tabs.push(Client::open(&running.url).await);
    }
    let mut fourth = Client::connect(&running.url).await;
    assert!(fourth.is_closed_within(Duration::from_secs(20)).await);
    assert!(fourth.words.contains("3 tabs"), "{}", fourth.words);
    let wish = json!({ "ask": "generate", "kind": "caves", "width": 100, "height": 90, "seed": 1, "terrain": true });
    for tab in &mut tabs[..2] {
        tab.ask(wish.clone()).await;
        tab.note("ready").await;
    }
    tabs[2].ask(wish.clone()).await;
    assert!(tabs[2].trouble().await.contains("all tabs together"));
    tabs.remove(0).close().await;
    for _ in 0..200 {
        if running.ledger.taken()[1] < 10_000 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tabs[1].ask(wish).await;
    tabs[1].note("ready").await;
    drop(tabs);
    running.wait_until_empty().await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_server_says_good_bye() {
    let running = Running::begin(small_limits()).await;
    let mut tab = Client::open(&running.url).await;
    tab.ask(json!({ "ask": "given" })).await;
    tab.note("ready").await;
    let ledger = running.ledger.clone();
    running.end().await;
    assert!(tab.is_closed_within(Duration::from_secs(5)).await);
    assert!(tab.words.contains("stopped"), "{}", tab.words);
    assert_eq!(ledger.taken(), [0, 0, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_request_does_not_keep_a_stopped_server() {
    let running = Running::begin(small_limits()).await;
    let mut half = TcpStream::connect(running.host()).await.expect("a server");
    let head = b"GET /x HTTP/1.1\r\nHost: 127";
    half.write_all(head).await.expect("taken");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    running.end().await;
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(10), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traces_that_are_asked_for_many_times_are_written_few_times() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    client.ask(json!({ "ask": "generate", "kind": "arena", "width": 512, "height": 384, "seed": 1, "terrain": false })).await;
    let map = client.note("map").await;
    client.note("ready").await;
    client.ask(json!({ "ask": "search", "number": 1, "slot": 0, "spec": "astar", "from": map["from"], "goal": map["goal"] })).await;
    client.frame(3).await;
    for _ in 0..300 {
        client
            .ask(json!({ "ask": "export", "what": "trace" }))
            .await;
    }
    // Searches are done in their turn: what was asked for before this one has been answered, or passed over.
    client.ask(json!({ "ask": "search", "number": 2, "slot": 0, "spec": "waypost", "from": map["from"], "goal": map["goal"] })).await;
    let mut files = 0;
    client
        .frame_while(3, |frame| files += u32::from(frame[1] == 5))
        .await;
    assert!((1..100).contains(&files), "{files} files for 300 wishes");
    running.end().await;
}
