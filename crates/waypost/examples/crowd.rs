//! A hundred units cross a hall; every tick has a budget, and events tell what happened.

use waypost::prelude::*;

fn main() -> Result<(), Error> {
    let hall = Map::from_fn(120, 80, |p| p.x != 60 || p.y % 20 < 3)?;
    let nav = Navigator::build(hall)?;
    let mut crowd = nav.crowd(CrowdOptions::default())?;
    for i in 0..100 {
        let unit = crowd.spawn((i % 10, i / 10 * 8))?;
        crowd.send(unit, Goal::Area((100, 0).into(), (20, 80)))?;
    }
    let mut ticks = 0;
    while !crowd.all_arrived() {
        let arrived = crowd
            .tick()
            .events()
            .filter(|e| matches!(e, Event::Arrived(_)))
            .count();
        ticks += 1;
        if arrived > 0 {
            println!("tick {ticks}: {arrived} arrived");
        }
    }
    let first = crowd.units().next().map(|unit| unit.position());
    println!("all there after {ticks} ticks; the first unit stands at {first:?}");
    Ok(())
}
