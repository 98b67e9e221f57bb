//! What a page is told beside what it asked for: what a file lacks, what has to be saved first, and searches that give way to later ones.

mod client;

use client::{Client, Running};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use waypost_play::Limits;
use waypost_play::protocol::VERSION;

async fn upload(client: &mut Client, name: &str, bytes: &[u8], packed: bool) {
    client
        .ask(json!({ "ask": "upload", "name": name, "bytes": bytes.len(), "packed": packed }))
        .await;
    client.note("upload").await;
    client.send([&[VERSION, 1], bytes].concat()).await;
    client.note("map").await;
}

/// The facts of the next search.
async fn found(client: &mut Client) -> Value {
    let frame = client.frame(3).await;
    let length = u32::from_le_bytes(frame[4..8].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&frame[8..8 + length]).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tileset_that_is_not_there_is_named() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    let text = "<map orientation='orthogonal' width='4' height='2' tilewidth='8' tileheight='8'><tileset firstgid='1' source='t.tsx'/>\
        <layer id='1' name='Ground' width='4' height='2'><data encoding='csv'>1,1,2,1,1,1,2,1</data></layer></map>";
    upload(&mut client, "a.tmx", text.as_bytes(), false).await;
    let words = client.trouble().await;
    assert!(words.contains("`t.tsx`"), "{words}");
    client.note("ready").await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_of_a_link_has_to_be_saved_first() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    let text = b"type octile\nheight 1\nwidth 3\nmap\n...\n";
    for is_packed in [false, true] {
        let packed = waypost_play::source::pack(text);
        let bytes = if is_packed { &packed[..] } else { text };
        upload(&mut client, "a.map", bytes, is_packed).await;
        client.note("ready").await;
        client
            .ask(json!({ "ask": "export", "what": "lines" }))
            .await;
        let lines = client.note("lines").await["lines"]["command"].to_string();
        assert_eq!(lines.contains("first save"), is_packed, "{lines}");
    }
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saved_map_has_the_ground_under_its_doors() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    let text = b"type octile\nheight 1\nwidth 6\nmap\n..TTTT\n";
    upload(&mut client, "woods (T=8).map", text, false).await;
    client.note("ready").await;
    client.ask(json!({ "ask": "draw", "stroke": 1, "paint": "door", "brush": 1, "points": [[1, 0], [3, 0]] })).await;
    client.note("drawn").await;
    client.ask(json!({ "ask": "export", "what": "map" })).await;
    let file = client.frame(5).await;
    let has = |text: &[u8]| file.windows(text.len()).any(|part| part == text);
    let words = String::from_utf8_lossy(&file);
    assert!(has(b"map\n.dddTT\nground 2 0 2 T\n"), "{words}");
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_takes_long_gives_way_to_a_later_search() {
    let running = Running::begin(Limits::default()).await;
    let mut client = Client::open(&running.url).await;
    client.ask(json!({ "ask": "generate", "kind": "arena", "width": 512, "height": 384, "seed": 1, "terrain": false })).await;
    let map = client.note("map").await;
    client.note("ready").await;
    let search = |number: u32, slot: u8, spec: &str| json!({ "ask": "search", "number": number, "slot": slot, "spec": spec, "from": map["from"], "goal": map["goal"] });
    // Of either place: the second is asked for after the first, or not at all.
    for slot in [0, 1] {
        client.ask(search(1, slot, "cpd")).await;
        client.note("building").await;
        let begun = Instant::now();
        client.ask(search(2, 0, "astar")).await;
        let facts = found(&mut client).await;
        assert_eq!(
            (&facts["number"], &facts["status"]),
            (&json!(2), &json!("arrived")),
            "{facts}"
        );
        let waited = begun.elapsed();
        assert!(waited < Duration::from_secs(15), "{waited:?}");
    }
    running.end().await;
}
