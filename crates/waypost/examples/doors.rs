//! Doors open and close under everybody's feet: no index becomes stale, paths are shortest at once.

use waypost::prelude::*;

fn main() -> Result<(), Error> {
    let doors = [(20, 5), (20, 25)];
    let map = Map::from_fn(41, 31, |p| p.x != 20 || doors.contains(&(p.x, p.y)))?.and_doors(doors);
    let nav = Navigator::build(map)?;
    println!("both open: {:.1}", nav.distance((2, 2), (38, 2))?);
    nav.set_doors([], [(20, 5)])?;
    println!("the near one closed: {:.1}", nav.distance((2, 2), (38, 2))?);
    nav.set_doors([], [(20, 25)])?;
    match nav.path((2, 2), (38, 2)) {
        Err(error) => println!("both closed: {error}"),
        Ok(_) => unreachable!("the wall has no gap"),
    }
    nav.set_doors(doors, [])?;
    println!("both open again: {:.1}", nav.distance((2, 2), (38, 2))?);
    println!("{:?}", nav.index_states());
    Ok(())
}
