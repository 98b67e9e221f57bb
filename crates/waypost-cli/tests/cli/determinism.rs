//! The same bytes from every run and every number of threads.

use crate::support::{Place, listed};

#[test]
fn maps_are_the_same_twice_and_differ_by_seed() {
    let place = Place::new();
    for kind in ["rooms", "caves", "maze", "city", "random", "arena"] {
        let make = |seed: u32, name: &str| {
            place.done(&format!(
                "gen {kind} --width 150 --height 110 --seed {seed} -o {name}"
            ));
            place.read(name)
        };
        let first = make(1, "a.map");
        assert_eq!(first, make(1, "b.map"), "{kind}");
        assert_ne!(first, make(2, "c.map"), "{kind}");
        let info = place.json("info a.map");
        let (largest, passable) = (&info["largest_component"], &info["passable"]);
        assert!(
            largest.as_u64().expect("a number") * 10 >= passable.as_u64().expect("a number") * 9,
            "{kind}: {info}"
        );
    }
}

#[test]
fn problems_are_the_same_on_one_thread_and_on_two() {
    let place = Place::with_map();
    let make = |options: &str| {
        place.done(&format!("scen m.map --count 40 {options} -o m.scen"));
        place.read("m.scen")
    };
    let first = make("--seed 9 --threads 1");
    assert_eq!(first, make("--seed 9 --threads 2"));
    assert_eq!(first, make("--seed 9"));
    assert_ne!(first, make("--seed 10"));
    let checked = place.json("check m.map m.scen");
    assert_eq!(
        (&checked["problems"], &checked["wrong"]),
        (&40.into(), &0.into())
    );
    let ranged = make("--min-cost 10 --max-cost 30");
    let text = String::from_utf8(ranged).expect("text");
    for line in text.lines().skip(1) {
        let length: f64 = line
            .split('\t')
            .next_back()
            .expect("a length")
            .parse()
            .expect("a number");
        assert!((10.0..=30.0).contains(&length), "{line}");
    }
}

#[test]
fn indexes_are_the_same_on_one_thread_and_on_two() {
    let place = Place::with_map();
    for index in listed(&place, "indexes") {
        let build = |threads: u32, name: &str| {
            let line = format!("build {index} m.map --seed 3 --threads {threads} -o {name}");
            let built = place.json(&line);
            assert_eq!(built["index"], index.as_str());
            assert_eq!(built["bytes"], place.read(name).len(), "{index}");
            assert!(built["build_seconds"].is_number() && built["records"].is_number());
            place.read(name)
        };
        let first = build(1, "one");
        assert_eq!(first, build(2, "two"), "{index}");
        assert_eq!(first, build(2, "again"), "{index}");
        place.done("verify one --map m.map");
    }
}

#[test]
fn shards_join_to_the_file_of_one_build() {
    let place = Place::with_map();
    let mut sharded = 0;
    for index in listed(&place, "indexes") {
        place.done(&format!("build {index} m.map -o whole"));
        let first = place.run(&format!("build {index} m.map --shard 1/3 -o part1"));
        if first.code != Some(0) {
            first.assert_refused(&index);
            assert!(first.stderr.contains("--shard"), "{}", first.stderr);
            continue;
        }
        sharded += 1;
        for part in 2..=3 {
            place.done(&format!(
                "build {index} m.map --shard {part}/3 -o part{part}"
            ));
        }
        place.done("merge part3 part1 part2 -o joined");
        assert_eq!(place.read("joined"), place.read("whole"), "{index}");
        place.refused("merge part1 part2 -o incomplete");
        place.refused("merge part1 part1 part2 -o twice");
    }
    assert!(sharded > 0);
}
