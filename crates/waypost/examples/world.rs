//! One world, shared: patches, paths from other threads while a crowd walks, a fork for looking ahead, a rebuild on a thread.

use waypost::prelude::*;
use waypost::progress::NoProgress;

fn main() -> Result<(), Error> {
    let nav = Navigator::build(Map::from_fn(90, 60, |p| p.x != 45 || p.y > 50)?)?;
    let mut crowd = nav.crowd(CrowdOptions {
        transform: Transform::new([-45.0, -30.0], 0.5),
        ..CrowdOptions::default()
    })?;
    let unit = crowd.spawn((5, 5))?;
    crowd.send(unit, (85, 5))?;

    // What if a bridge was there? Ask another world.
    let ahead = nav.fork()?;
    ahead.patch(Patch::new().open_rect((45, 4), (1, 3)));
    println!(
        "now {:.1}, with a bridge {:.1}",
        nav.distance((5, 5), (85, 5))?,
        ahead.distance((5, 5), (85, 5))?
    );

    // The bridge is built here as well; a new index is made on a thread while the unit walks on.
    nav.patch(Patch::new().open_rect((45, 4), (1, 3)));
    let jobs = nav.rebuild_jobs();
    let builder = std::thread::spawn(move || jobs.into_iter().for_each(|job| job.run(&NoProgress)));
    for tick in 1.. {
        for event in crowd.tick().events() {
            println!("tick {tick}: {event:?}");
        }
        if crowd.all_arrived() {
            break;
        }
    }
    let there = crowd.unit(unit)?;
    println!(
        "{} is {:?} in the game",
        there.position(),
        there.position_between(1.0)
    );
    builder.join().unwrap_or_default();
    Ok(())
}
