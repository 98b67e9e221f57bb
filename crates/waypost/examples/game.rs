//! A small game: a thief steals a treasure while guards patrol, a monster hunts, a gate opens and closes and rocks fall.

use waypost::prelude::*;

const LEVEL: &str = "
##################################################
#P.......#GGGGGGGGGGGGGGGGGGGGGGG#...............#
#........#GGGGGGGGGGGGGGGGGGGGGGG#...............#
#........GGGGGGGGGGGGGGGGGGGGGGGGG...............#
#........GGGGGGGGGGGGGGGGGGGGGGGGG.............X.#
####DD##############################..############
#........................r.......................#
#........................r.......................#
#####..###################################..######
#M...............................................#
#................................................#
##################################################";

fn main() -> Result<(), Error> {
    let find = |letter| Map::find_in_text(LEVEL, letter);
    let nav = Navigator::build(Map::from_text(LEVEL, |letter| match letter {
        '#' => Tile::Wall,
        'D' => Tile::ClosedDoor,
        'G' => Tile::Ground("guarded", 1.0),
        _ => Tile::Free,
    })?)?;
    nav.add_unit_type(UnitType::new("thief").factor("guarded", 20.0)?)?;
    nav.add_unit_type(UnitType::new("monster").size(2))?;
    let mut crowd = nav.crowd(CrowdOptions::default())?;
    let posts = find('G');
    for &post in posts.iter().step_by(10) {
        let guard = crowd.spawn(post)?;
        crowd.send(guard, posts[0])?;
    }
    let thief = crowd.spawn_type("thief", find('P')[0])?;
    crowd.send(thief, find('X')[0])?;
    let monster = crowd.spawn_type("monster", find('M')[0])?;
    crowd.set_pace(monster, 2)?;
    crowd.send(monster, thief)?;
    for tick in 0..300 {
        match tick % 20 {
            0 => crowd.close_doors(find('D'))?,
            10 => crowd.open_doors(find('D'))?,
            _ if tick == 26 => crowd.patch(Patch::new().block_all(find('r'))),
            _ => 0,
        };
        for event in crowd.tick().into_events() {
            match event {
                Event::Arrived(unit) if unit == thief => println!("{tick}: the treasure is gone"),
                Event::Arrived(guard) => crowd.send(guard, posts[tick * 37 % posts.len()])?,
                other => println!("{tick}: {other:?}"),
            }
        }
        if let Some(hunter) = crowd.units_near(thief, 0)?.first() {
            println!("{tick}: the thief is caught at {}", hunter.position());
            break;
        }
    }
    Ok(())
}
