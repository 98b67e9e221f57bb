//! `waypost play`: it serves, refuses what it cannot open, and ends when it is told to. What it serves is tested in `waypost-play`.

use crate::support::{Place, assert_says};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use waypost::Point;
use waypost_play::snippets::Scene;
use waypost_play::source::Seeded;

/// A server that has told its address.
struct Playing {
    child: Child,
    url: String,
}

impl Playing {
    fn begin(place: &Place, more: &str) -> Playing {
        let line = format!("play --no-open {more}");
        let mut child = place
            .command(line.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut url = String::new();
        let out = child.stdout.take().expect("standard output");
        BufReader::new(out).read_line(&mut url).expect("a line");
        Playing {
            child,
            url: url.trim_end().to_string(),
        }
    }

    fn get(&self, path: &str) -> String {
        let host = self.url.split('/').nth(2).expect("a host");
        let mut stream = TcpStream::connect(host).expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    }

    fn path(&self) -> String {
        let parts: Vec<&str> = self.url.splitn(4, '/').collect();
        format!("/{}", parts[3])
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_playground_serves_and_ends() {
    let place = Place::with_map();
    for (more, signal) in [("", "INT"), ("m.map --port 0", "TERM")] {
        let mut playing = Playing::begin(&place, more);
        assert!(
            playing.url.starts_with("http://127.0.0.1:"),
            "{}",
            playing.url
        );
        let token = playing.path();
        assert_eq!(token.len(), 34, "{token}");
        let page = playing.get(&token);
        assert_says(
            &page,
            &["200 OK", "Waypost playground", "content-security-policy"],
        );
        assert_says(
            &playing.get(&format!("{token}main.js")),
            &["text/javascript"],
        );
        assert_says(&playing.get("/"), &["403 Forbidden", "waypost play"]);
        if cfg!(unix) {
            let id = playing.child.id().to_string();
            let sent = Command::new("kill")
                .args([&format!("-{signal}"), &id])
                .status();
            assert!(sent.expect("kill runs").success());
            let begun = Instant::now();
            let status = playing.child.wait().expect("ended");
            assert_eq!(status.code(), Some(0), "SIG{signal}: {status}");
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let place = Place::with_map();
    assert_says(
        &place.refused("play nothing.map --no-open"),
        &["nothing.map"],
    );
    place.write("bad.map", "type octile\nheight 1\nwidth 2\nmap\n.x\n");
    assert_says(
        &place.refused("play bad.map --no-open"),
        &["bad.map", "line 5"],
    );
    place.write("walls.map", "type octile\nheight 1\nwidth 2\nmap\n@@\n");
    assert_says(
        &place.refused("play walls.map --no-open"),
        &["walls.map", "no cell"],
    );
    // A map that no tab could show is refused at once, not by an empty page.
    place.done("gen arena --width 11000 --height 9100 -o huge.map");
    assert_says(
        &place.refused("play huge.map --no-open"),
        &["huge.map", "11000 x 9100", "100,000,000"],
    );
    let playing = Playing::begin(&place, "");
    let port = playing.url.split([':', '/']).nth(4).expect("a port");
    let words = place.refused(&format!("play --no-open --port {port}"));
    assert_says(&words, &[port, "free port"]);
}

/// The commands that the page offers do what it shows.
#[test]
fn commands_that_the_page_prints_run() {
    let place = Place::new();
    let seeded = Seeded {
        kind: "caves".to_string(),
        width: 60,
        height: 40,
        seed: 5,
        terrain: true,
    };
    let point = |x: u32, y: u32| Point { x, y };
    let mut scene = Scene {
        name: "caves.map",
        seeded: Some(&seeded),
        is_drawn_on: false,
        costs: Some("G=0.5,S=2,T=8,W=4.5"),
        doors: false,
        searches: Vec::new(),
        crowd: Some((20, "waypost", false, 3)),
    };
    for line in scene.lines().command.lines() {
        place.done(line.strip_prefix("waypost ").expect("a command"));
    }
    assert_eq!(&place.read("crowd.gif")[..3], b"GIF");
    place.write(
        "doors.map",
        "type octile\nheight 3\nwidth 5\nmap\n.....\n@@dD@\n.....\n",
    );
    scene = Scene {
        name: "doors.map",
        seeded: None,
        is_drawn_on: false,
        costs: Some(""),
        doors: true,
        searches: vec![("lrta:gmax=2", point(0, 0), point(4, 2))],
        crowd: Some((3, "waypost", true, 3)),
    };
    let commands = scene.lines().command;
    assert_eq!(commands.lines().count(), 2);
    for line in commands.lines() {
        place.done(line.strip_prefix("waypost ").expect("a command"));
    }
    assert_eq!(&place.read("path.png")[1..4], b"PNG");
}
