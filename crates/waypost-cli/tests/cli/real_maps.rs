//! Real maps, where they are: the variable `WAYPOST_MAPS` names a folder of `.map` and `.map.scen` files.

use crate::support::{Place, length_of};
use std::path::PathBuf;

/// Larger files are left to `waypost check` by hand.
const MAX_BYTES: u64 = 1_100_000;

#[test]
fn every_length_of_the_scenario_files_is_right() {
    let Some(folder) = std::env::var_os("WAYPOST_MAPS").map(PathBuf::from) else {
        println!("skipped: WAYPOST_MAPS is not set");
        return;
    };
    let place = Place::new();
    let mut maps: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder in WAYPOST_MAPS")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "map"))
        .filter(|path| length_of(path) <= MAX_BYTES)
        .collect();
    maps.sort();
    for map in maps {
        let scen = format!("{}.scen", map.display());
        if length_of(scen.as_ref()) == 0 {
            continue;
        }
        let checked = place.json(&format!("check {} {scen}", map.display()));
        assert_eq!(checked["wrong"], 0, "{checked}");
        assert!(checked["problems"].as_u64() > Some(0));
    }
}
