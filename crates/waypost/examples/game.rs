//! A small game: a thief steals a treasure while guards patrol, a monster hunts, a gate opens and closes and rocks fall.

use waypost::prelude::*;

const LEVEL: &str = "
##################################################
#P.......#GGGGGGGGGGGGGGGGGGGGGGG#...............#
#........#GGGGGGGGGGGGGGGGGGGGGGG#...............#
#........GGGGGGGGGGGGGGGGGGGGGGGGG...............#
#........GGGGGGGGGGGGGGGGGGGGGGGGG.............X.#
#........#GGGGGGGGGGGGGGGGGGGGGGG#...............#
####DD##############################..############
#........................r.......................#
#........................r.......................#
#####..###################################..######
#................................................#
#M...............................................#
#................................................#
##################################################";

fn find(wanted: char) -> Vec<Point> {
    let rows = LEVEL.trim().lines().zip(0..);
    let cells = rows.flat_map(|(row, y)| row.chars().zip(0..).map(move |(c, x)| (c, (x, y))));
    let found = cells.filter(|&(letter, _)| letter == wanted);
    found.map(|(_, at)| at.into()).collect()
}

fn main() -> Result<(), waypost::Error> {
    let map = Map::from_text(LEVEL, |letter| match letter {
        '#' => Tile::Wall,
        'D' => Tile::ClosedDoor,
        'G' => Tile::Ground("guarded", 1.0),
        _ => Tile::Free,
    })?;
    let nav = Navigator::build(map)?;
    nav.add_unit_type(UnitType::new("thief").factor("guarded", 20.0)?)?;
    nav.add_unit_type(UnitType::new("monster").size(2))?;
    let (gate, posts) = (find('D'), find('G'));
    let mut crowd = nav.crowd(CrowdOptions::default())?;
    let mut guards = Vec::new(); // who, and the two ends of its patrol, the next one last
    for i in 0..12 {
        let (a, b) = (posts[i * 4], posts[posts.len() - 1 - i * 3]);
        guards.push((crowd.spawn(a)?, a, b));
        crowd.send(guards[i].0, b)?;
    }
    let thief = crowd.spawn_type("thief", find('P')[0])?;
    crowd.send(thief, find('X')[0])?;
    let monster = crowd.spawn_type("monster", find('M')[0])?;
    crowd.set_pace(monster, 2)?;
    crowd.send(monster, Goal::Unit(thief))?;
    for tick in 0..300 {
        if tick % 20 == 10 {
            crowd.set_doors(gate.clone(), [])?;
        } else if tick % 20 == 0 {
            crowd.set_doors([], gate.clone())?;
        }
        if tick == 26 {
            crowd.patch(Patch::new().block_rect(find('r')[0], (1, 2)));
        }
        let events: Vec<Event> = crowd.tick().events().collect();
        for event in events {
            match event {
                Event::Arrived(unit) if unit == thief => {
                    println!("tick {tick}: the thief has the treasure");
                    return Ok(());
                }
                Event::Arrived(unit) => {
                    let guard = guards.iter_mut().find(|guard| guard.0 == unit);
                    if let Some((_, a, b)) = guard {
                        std::mem::swap(a, b);
                        crowd.send(unit, *b)?;
                    }
                }
                other => println!("tick {tick}: {other:?}"),
            }
        }
        let (at, hunter) = (crowd.position(thief)?, crowd.position(monster)?);
        let is_bitten = at.x.wrapping_sub(hunter.x) < 2 && at.y.wrapping_sub(hunter.y) < 2;
        let seen_by = guards.iter().find(|g| crowd.position(g.0).ok() == Some(at));
        if is_bitten || seen_by.is_some() {
            println!("tick {tick}: the thief is caught at {at}");
            return Ok(());
        }
    }
    Ok(())
}
