//! Load a level, build its index, ship it, open it again, ask for a path.

use waypost::prelude::*;

const LEVEL: &str = "type octile\nheight 5\nwidth 12\nmap\n............\n.@@@@@@@@@@.\n.@........@.\n.@.@@@@@@@@.\n............\n";

fn main() -> Result<(), Error> {
    let map = Map::from_movingai(LEVEL)?;
    let nav = Navigator::build(map)?;
    let file = std::env::temp_dir().join(format!("hello-{}.nav", std::process::id()));
    std::fs::write(&file, nav.save()?)?;

    let nav = Navigator::open(Map::from_movingai(LEVEL)?, std::fs::read(&file)?)?;
    let path = nav.path((9, 2), (11, 0))?;
    println!("{:.2} long, {} steps", path.length(), path.steps());
    println!("turns at {:?}", path.corners());
    std::fs::remove_file(&file)?;
    Ok(())
}
