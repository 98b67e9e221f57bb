use super::testing::{oracle_rules, random_map};
use super::*;
use crate::index::IndexRequest;
use crate::progress::NoProgress;
use waypost_testkit::{TestMap, check_path, distances};

fn request(encoding: Encoding) -> IndexRequest {
    IndexRequest::new(IndexKind::Cpd).with(PARAMETER_ENCODING, encoding.name())
}

fn built(map: &Map, encoding: Encoding) -> PathDatabase {
    PathDatabase::build(map, &request(encoding), &NoProgress).expect("a small map")
}

/// The engine's answer to every pair of cells must cost what the oracle says, and every move must get nearer by its cost.
fn check_every_pair(what: &str, test: &TestMap, map: &Map, database: &PathDatabase) {
    let rules = oracle_rules(map.rules());
    let mut path = Vec::new();
    for from in map.grid().cells() {
        let source = map.grid().point(from);
        let costs = distances(test, rules, (source.x, source.y));
        for to in map.grid().cells() {
            let point = map.grid().point(to);
            let expected = costs[(point.y * test.width() + point.x) as usize];
            let length = database.path_into(from, to, &mut path);
            let cost = length.map(|l| l.straight * rules.straight + l.diagonal * rules.diagonal);
            assert_eq!(
                cost,
                expected,
                "{what} {source} to {point}\n{}",
                test.to_text()
            );
            assert_eq!(
                database.distance(from, to).map(u64::from),
                expected,
                "{what}"
            );
            if expected.is_some() {
                let cells: Vec<_> = path.iter().map(|&c| map.grid().point(c)).collect();
                let cells: Vec<_> = cells.iter().map(|p| (p.x, p.y)).collect();
                let walked = check_path(test, rules, &cells).expect("legal moves");
                assert_eq!(Some(walked.cost), expected, "{what}");
            }
        }
    }
}

#[test]
fn every_pair_costs_what_the_oracle_says() {
    for seed in 0..60 {
        let (test, map) = random_map(seed, 1, 14);
        for encoding in Encoding::ALL {
            let database = built(&map, encoding);
            check_every_pair(&format!("seed {seed} {encoding:?}"), &test, &map, &database);
        }
    }
}

/// The composed builder and the one by definition must agree on every byte of every row.
#[test]
fn composed_rows_are_those_of_the_search() {
    for seed in 0..40 {
        let (test, map) = random_map(1000 + seed, 1, 26);
        let order = order::NodeOrder::depth_first(&map);
        for encoding in Encoding::ALL {
            let record_bytes = encoding.record_bytes(map.grid()).expect("a small map");
            let batches: Vec<_> = order
                .components()
                .map(|c| {
                    build::rows_by_search(&map, &order, encoding, c.clone(), c)
                        .expect("a small map")
                })
                .collect();
            let expected = rows::RowBatch::join(&batches, record_bytes);
            let database = built(&map, encoding);
            let text = || format!("seed {seed} {encoding:?}\n{}", test.to_text());
            assert!(database.counts() == expected.counts, "{}", text());
            assert!(database.data() == expected.data, "{}", text());
            // Tiles of another size change nothing.
            let graph = compose::CornerGraph::of(&map, &order);
            let tiles = compose::tiles(&map, &order, &graph, encoding, 64);
            let batches: Vec<_> = tiles
                .iter()
                .map(|t| compose::rows_of_tile(&map, &order, &graph, encoding, record_bytes, t))
                .collect();
            let tiled = rows::RowBatch::join(&batches, record_bytes);
            assert!(tiled == expected, "{}", text());
        }
    }
}
