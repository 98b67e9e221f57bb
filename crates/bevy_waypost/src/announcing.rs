//! The game is told what happened in a tick.

use crate::live::place;
use crate::map::NavMap;
use crate::news::IndexRenewed;
use crate::space::point;
use crate::step::{Said, Step};
use crate::walker::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::UVec2;
use waypost::navigator::Event as CrowdEvent;

/// Writers of all that happens to walkers.
#[derive(SystemParam)]
pub(crate) struct News<'w, 's> {
    arrived: MessageWriter<'w, Arrived>,
    unreachable: MessageWriter<'w, Unreachable>,
    blocked: MessageWriter<'w, Blocked>,
    freed: MessageWriter<'w, Freed>,
    stuck: MessageWriter<'w, Stuck>,
    renewed: MessageWriter<'w, IndexRenewed>,
    commands: Commands<'w, 's>,
}

/// Tells the game what happened.
pub(crate) fn announce(
    maps: Query<(Entity, &NavMap)>,
    mut steps: Query<&mut Step>,
    mut news: News,
) {
    for (map, nav_map) in &maps {
        let Some(live) = nav_map.live.as_ref().filter(|live| live.has_ticked) else {
            continue;
        };
        for squad in &live.squads {
            let who = |unit| {
                let entity = squad.entity(unit)?;
                Some((entity, squad.seen.get(place(unit))?.cell))
            };
            for event in squad.crowd().events() {
                let event = match *event {
                    // It stands as near as can be to the one that it follows.
                    CrowdEvent::Arrived(unit) if is_short(&steps, who(unit)) => {
                        let here = who(unit).map(|(_, cell)| point(cell));
                        CrowdEvent::Unreachable(unit, here)
                    }
                    event => event,
                };
                let told = match event {
                    CrowdEvent::Arrived(unit) => Some((unit, Said::Arrived)),
                    CrowdEvent::Unreachable(unit, _) => Some((unit, Said::Unreachable)),
                    CrowdEvent::Stuck(unit, _) => Some((unit, Said::Stuck)),
                    _ => None,
                };
                if told.is_none_or(|(unit, said)| is_news(&mut steps, who(unit), said)) {
                    news.tell(map, event, who);
                }
            }
        }
    }
}

fn is_short(steps: &Query<&mut Step>, who: Option<(Entity, UVec2)>) -> bool {
    let step = who.and_then(|(entity, _)| steps.get(entity).ok());
    step.is_some_and(|step| step.is_short)
}

/// Whether a walker's goal has not been told of so already, in this world or in one that this has taken the place of.
fn is_news(steps: &mut Query<&mut Step>, who: Option<(Entity, UVec2)>, said: Said) -> bool {
    let step = who.and_then(|(entity, _)| steps.get_mut(entity).ok());
    step.is_some_and(|mut step| step.bypass_change_detection().says(said))
}

impl News<'_, '_> {
    fn tell(
        &mut self,
        map: Entity,
        event: CrowdEvent,
        who: impl Fn(waypost::navigator::UnitId) -> Option<(Entity, UVec2)>,
    ) {
        match event {
            CrowdEvent::Arrived(unit) => {
                if let Some((entity, cell)) = who(unit) {
                    let news = Arrived { entity, cell };
                    self.arrived.write(news);
                    self.commands.trigger(news);
                }
            }
            CrowdEvent::Unreachable(unit, nearest) => {
                if let Some((entity, _)) = who(unit) {
                    let nearest = nearest.map(|p| UVec2::new(p.x, p.y));
                    let news = Unreachable { entity, nearest };
                    self.unreachable.write(news);
                    self.commands.trigger(news);
                }
            }
            CrowdEvent::Blocked(unit) => {
                if let Some((entity, _)) = who(unit) {
                    self.blocked.write(Blocked { entity });
                    self.commands.trigger(Blocked { entity });
                }
            }
            CrowdEvent::Freed(unit) => {
                if let Some((entity, _)) = who(unit) {
                    self.freed.write(Freed { entity });
                    self.commands.trigger(Freed { entity });
                }
            }
            CrowdEvent::Stuck(unit, why) => {
                if let Some((entity, _)) = who(unit) {
                    let news = Stuck { entity, why };
                    self.stuck.write(news);
                    self.commands.trigger(news);
                }
            }
            CrowdEvent::IndexRenewed { late, .. } => {
                self.renewed.write(IndexRenewed { map, late });
            }
        }
    }
}
