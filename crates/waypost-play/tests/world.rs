//! What a page can do with its world, without a browser: searches, strokes, crowds, layers, files and links.

mod client;

use client::{Client, Running};
use serde_json::{Value, json};
use std::time::Duration;
use waypost_play::Limits;
use waypost_play::protocol::VERSION;

/// Facts and numbers of a frame that has both.
fn parts(frame: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(frame[4..8].try_into().expect("four bytes")) as usize;
    let facts = serde_json::from_slice(&frame[8..8 + length]).expect("JSON");
    let at = (8 + length).next_multiple_of(4);
    (facts, frame[at..].to_vec())
}

fn number(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(frame[at..at + 4].try_into().expect("four bytes"))
}

async fn tab(running: &Running, kind: &str, width: u32, height: u32) -> Client {
    let mut client = Client::open(&running.url).await;
    let wish = json!({ "ask": "generate", "kind": kind, "width": width, "height": height, "seed": 3, "terrain": false });
    client.ask(wish).await;
    client.note("ready").await;
    client
}

async fn search(client: &mut Client, spec: &str, from: [u32; 2], goal: [u32; 2]) -> Value {
    let wish = json!({ "ask": "search", "number": 1, "slot": 0, "spec": spec, "from": from, "goal": goal });
    client.ask(wish).await;
    parts(&client.frame(3).await).0
}

async fn upload(client: &mut Client, name: &str, bytes: &[u8], packed: bool) -> Value {
    client
        .ask(json!({ "ask": "upload", "name": name, "bytes": bytes.len(), "packed": packed }))
        .await;
    client.note("upload").await;
    client.send([&[VERSION, 1], bytes].concat()).await;
    client.note("map").await
}

const WALLED: &str =
    "type octile\nheight 5\nwidth 9\nmap\n.........\n@@@@.@@@@\n.........\n.........\n.........\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strokes_change_paths_and_are_taken_back() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    upload(&mut client, "a.map", WALLED.as_bytes(), false).await;
    client.note("ready").await;
    let before = search(&mut client, "waypost", [0, 0], [0, 2]).await;
    assert_eq!(before["status"], "arrived");
    assert_eq!(before["length"], before["optimal"]);
    // A gap nearer to both is opened, and closed again.
    let draw = |paint: &str, at: [u32; 2]| json!({ "ask": "draw", "stroke": 1, "paint": paint, "brush": 1, "points": [at] });
    client.ask(draw("floor", [0, 1])).await;
    let drawn = client.note("drawn").await;
    assert_eq!((&drawn["cells"], &drawn["undo"]), (&json!(1), &json!(1)));
    let nearer = search(&mut client, "waypost", [0, 0], [0, 2]).await;
    assert_eq!(nearer["length"], 2.0);
    client.ask(json!({ "ask": "undo" })).await;
    client.note("drawn").await;
    assert_eq!(
        search(&mut client, "astar", [0, 0], [0, 2]).await["length"],
        before["length"]
    );
    client.ask(json!({ "ask": "redo" })).await;
    client.note("drawn").await;
    assert_eq!(
        search(&mut client, "astar", [0, 0], [0, 2]).await["length"],
        2.0
    );
    // Doors: open at first, then closed.
    client.ask(draw("door", [0, 1])).await;
    client.note("drawn").await;
    client
        .ask(json!({ "ask": "door", "stroke": 2, "brush": 1, "at": [0, 1] }))
        .await;
    client.note("drawn").await;
    let round = search(&mut client, "waypost", [0, 0], [0, 2]).await;
    assert_eq!(round["length"], before["length"]);
    // Both gaps closed: that is known without a search.
    client.ask(draw("wall", [4, 1])).await;
    client.note("drawn").await;
    let cut = search(&mut client, "waypost", [0, 0], [0, 2]).await;
    assert_eq!(cut["status"], "unreachable");
    let wrong = search(&mut client, "waypots", [0, 0], [0, 2]).await;
    assert!(
        wrong["words"]
            .as_str()
            .is_some_and(|words| words.contains("waypots"))
    );
    // The file has the door.
    client.ask(json!({ "ask": "export", "what": "map" })).await;
    let (facts, file) = parts(&client.frame(5).await);
    assert_eq!(facts["name"], "a.map");
    assert!(
        String::from_utf8_lossy(&file).contains("\nD@@@@@@@@\n"),
        "{facts}"
    );
    client.ask(json!({ "ask": "export", "what": "link" })).await;
    let (_, packed) = parts(&client.frame(5).await);
    let mut other = Client::open(&running.url).await;
    let map = upload(&mut other, "shared.map", &packed, true).await;
    assert_eq!((&map["width"], &map["doors"]), (&json!(9), &json!(1)));
    client
        .ask(json!({ "ask": "export", "what": "trace" }))
        .await;
    assert!(client.trouble().await.contains("no search"));
    search(&mut client, "astar", [0, 2], [8, 4]).await;
    client
        .ask(json!({ "ask": "export", "what": "trace" }))
        .await;
    let (_, trace) = parts(&client.frame(5).await);
    assert!(trace.starts_with(b"version: "));
    running.end().await;
}

/// What is saved or shared is the same map when it is opened, ground and walls; and the lines say what the ground costs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ground_comes_back_from_files_and_links() {
    let running = Running::begin(Limits::default()).await;
    let letters = "type octile\nheight 3\nwidth 6\nmap\n..SS..\n.TTWW.\n..GG..\n";
    let seeded = json!({ "ask": "generate", "kind": "caves", "width": 64, "height": 48, "seed": 4, "terrain": true });
    for has_costs in [true, false] {
        let mut client = Client::open(&running.url).await;
        let map = match has_costs {
            true => {
                client.ask(seeded.clone()).await;
                client.note("map").await
            }
            false => upload(&mut client, "letters.map", letters.as_bytes(), false).await,
        };
        client.note("ready").await;
        let place = |name: &str| -> [u32; 2] {
            serde_json::from_value(map[name].clone()).expect("a place")
        };
        let (from, goal) = (place("from"), place("goal"));
        // Drawn on, a map is no seed any more.
        client.ask(json!({ "ask": "draw", "stroke": 1, "paint": "wall", "brush": 1, "points": [[0, 0]] })).await;
        client.ask(json!({ "ask": "draw", "stroke": 2, "paint": "floor", "brush": 1, "points": [[0, 0]] })).await;
        client.note("drawn").await;
        let before = search(&mut client, "astar", from, goal).await;
        client.ask(json!({ "ask": "export", "what": "map" })).await;
        let (facts, file) = parts(&client.frame(5).await);
        client.ask(json!({ "ask": "export", "what": "link" })).await;
        let (link, packed) = parts(&client.frame(5).await);
        let name = facts["name"].as_str().expect("a name");
        let costs = link["costs"].as_str().expect("costs");
        assert_eq!(
            has_costs,
            name.contains(costs) && !costs.is_empty(),
            "{name}"
        );
        client
            .ask(json!({ "ask": "export", "what": "lines" }))
            .await;
        let lines = client.note("lines").await["lines"]["command"].to_string();
        assert_eq!(lines.contains("--terrain"), has_costs, "{lines}");
        for (name, bytes, costs) in [(name, &file, ""), ("shared.map", &packed, costs)] {
            let mut other = Client::open(&running.url).await;
            let is_packed = name == "shared.map";
            other.ask(json!({ "ask": "upload", "name": name, "bytes": bytes.len(), "packed": is_packed, "costs": costs })).await;
            other.note("upload").await;
            other.send([&[VERSION, 1], &bytes[..]].concat()).await;
            let again = other.note("map").await;
            assert_eq!(again["terrain"], map["terrain"]);
            other.note("ready").await;
            let after = search(&mut other, "astar", from, goal).await;
            assert_eq!(after["length"], before["length"], "{name}");
        }
    }
    running.end().await;
}

/// A tab that closes while a large map is indexed gives back what it held, and soon.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn builds_end_with_their_tabs() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    client.ask(json!({ "ask": "generate", "kind": "arena", "width": 3000, "height": 2400, "seed": 1, "terrain": false })).await;
    let map = client.note("map").await;
    // Within the labels, which take longest.
    while client.note("building").await["stage"] != "labels" {}
    drop(client);
    let begun = std::time::Instant::now();
    running.wait_until_empty().await;
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(20), "{waited:?} for {map}");
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strokes_that_come_before_the_index_wait_for_it() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    client.ask(json!({ "ask": "generate", "kind": "caves", "width": 900, "height": 700, "seed": 3, "terrain": false })).await;
    client.ask(json!({ "ask": "draw", "stroke": 1, "paint": "floor", "brush": 9, "points": [[4, 4], [200, 90]] })).await;
    client
        .ask(
            json!({ "ask": "crowd", "units": 20, "spec": "waypost", "exclusive": true, "seed": 1 }),
        )
        .await;
    client.note("ready").await;
    assert!(client.note("drawn").await["cells"].as_u64() > Some(100));
    assert_eq!(client.note("crowd").await["units"], 20);
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_does_not_wait_for_a_page_that_does_not_read() {
    let running = Running::begin(Limits::default()).await;
    let mut client = tab(&running, "caves", 300, 200).await;
    client.ask(json!({ "ask": "crowd", "units": 5000, "spec": "waypost", "exclusive": false, "seed": 1 })).await;
    client
        .ask(json!({ "ask": "pace", "paused": false, "rate": 0 }))
        .await;
    let first = number(&client.frame(2).await, 8);
    tokio::time::sleep(Duration::from_secs(3)).await;
    client
        .ask(json!({ "ask": "pace", "paused": true, "rate": 0 }))
        .await;
    // What was not read was replaced: few frames stand for many ticks.
    let (mut frames, mut last) = (0, first);
    client.ask(json!({ "ask": "step" })).await;
    client
        .ask(json!({ "ask": "export", "what": "lines" }))
        .await;
    client
        .note_while("lines", |frame| {
            if frame[1] == 2 {
                assert!(frame.len() <= 30_000, "{} bytes", frame.len());
                (frames, last) = (frames + 1, number(frame, 8));
            }
        })
        .await;
    assert!(
        last - first > 100,
        "{} ticks in three seconds",
        last - first
    );
    assert!(frames < 250, "{frames} frames");
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paused_crowds_step_and_methods_without_an_index_get_one() {
    let running = Running::begin(Limits::default()).await;
    let mut client = tab(&running, "rooms", 80, 60).await;
    client
        .ask(json!({ "ask": "pace", "paused": true, "rate": 30 }))
        .await;
    for spec in ["waypost", "sectors", "knn-lrta", "lrta", "astar"] {
        client
            .ask(
                json!({ "ask": "crowd", "units": 30, "spec": spec, "exclusive": false, "seed": 1 }),
            )
            .await;
        let crowd = client.note("crowd").await;
        assert_eq!(
            (&crowd["units"], &crowd["spec"]),
            (&json!(30), &json!(spec))
        );
        let epoch = crowd["epoch"].as_u64().expect("a number") as u32;
        client.ask(json!({ "ask": "step" })).await;
        loop {
            let frame = client.frame(2).await;
            if number(&frame, 4) == epoch && number(&frame, 8) == 1 {
                break;
            }
        }
        client
            .ask(json!({ "ask": "send", "epoch": epoch, "units": [0, 1, 2], "goal": [3, 3] }))
            .await;
        client
            .ask(json!({ "ask": "follow", "epoch": epoch, "unit": 1 }))
            .await;
        client.ask(json!({ "ask": "wander" })).await;
    }
    client
        .ask(json!({ "ask": "crowd", "units": 30, "spec": "lrtaa", "exclusive": false, "seed": 1 }))
        .await;
    assert!(client.trouble().await.contains("lrtaa"));
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_layer_has_something_to_show() {
    let running = Running::begin(Limits::default()).await;
    let mut client = tab(&running, "rooms", 96, 64).await;
    for layer in ["corners", "sectors", "record", "cliques", "first-moves"] {
        for window in [
            [0, 0, 96, 64],
            [90, 60, u32::MAX, u32::MAX],
            [u32::MAX, 0, 5, 5],
        ] {
            client.ask(json!({ "ask": "layer", "layer": layer, "at": [12, 32], "goal": [83, 31], "level": 2, "window": window })).await;
            let (facts, numbers) = parts(&client.frame(4).await);
            assert_eq!(facts["layer"], layer);
            assert!(window[2] != 96 || !numbers.is_empty(), "{facts}");
        }
    }
    running.end().await;
}
