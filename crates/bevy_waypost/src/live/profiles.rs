//! Types of walkers that a map was not made with: their indexes are built beside the game.

use super::{Live, Squad};
use crate::background::Workers;
use crate::step::Home;
use crate::walker::NavProfile;
use bevy_tasks::{Task, futures::check_ready};
use waypost::Error;
use waypost::navigator::BuiltUnitType;

type IndexTask = Task<Result<BuiltUnitType, Error>>;
type SquadTask = Task<Result<Squad, Error>>;

/// How far a type of walkers is.
pub(super) enum Coming {
    Index(IndexTask),
    Squad(SquadTask),
}

/// What became of it in a tick.
enum Advance {
    Waits,
    Has(Coming),
    Done,
}

impl Live {
    /// The number of the squad for a profile; where there is none yet, it is begun: `Ok(None)`.
    pub fn squad_for(
        &mut self,
        profile: Option<&NavProfile>,
        workers: &Workers,
    ) -> Result<Option<u32>, String> {
        let Some(profile) = profile else {
            return Ok(Some(0));
        };
        let unit = profile.unit_type().map_err(|error| error.to_string())?;
        let known = self
            .squads
            .iter()
            .position(|s| s.unit.name() == unit.name());
        if let Some(number) = known {
            return match self.squads[number].unit == unit {
                true => Ok(Some(number as u32)),
                false => Err(format!(
                    "a profile `{}` of another size or ground is on this map; give them different names",
                    profile.name
                )),
            };
        }
        if let Some((_, reason)) = self.refused.iter().find(|(known, _)| known == profile) {
            return Err(reason.clone());
        }
        if !self.coming.iter().any(|(known, _)| known == profile) {
            let job = self.nav.unit_type_job(unit);
            let task = workers.spawn(move || job.run());
            self.coming.push((profile.clone(), Coming::Index(task)));
        }
        Ok(None)
    }

    /// Goes on with the types of walkers that are on their way. They are taken in the order in which they were asked for, whichever is built first:
    /// it is the order of everything that is told of them.
    pub fn advance_profiles(&mut self, workers: &Workers) {
        let mut coming = std::mem::take(&mut self.coming);
        let (mut is_next, mut is_first) = (true, true);
        coming.retain_mut(|(profile, state)| {
            let advanced = match state {
                Coming::Index(task) if is_next => self.take_index(task, workers),
                Coming::Squad(task) if is_first => self.take_squad(task),
                _ => Ok(Advance::Waits),
            };
            match advanced {
                Ok(Advance::Waits) => {}
                Ok(Advance::Has(next)) => *state = next,
                Ok(Advance::Done) => return false,
                Err(error) => {
                    self.refused.push((profile.clone(), error.to_string()));
                    return false;
                }
            }
            is_next &= matches!(state, Coming::Squad(_));
            is_first = false;
            true
        });
        self.coming = coming;
    }

    fn take_index(&self, task: &mut IndexTask, workers: &Workers) -> Result<Advance, Error> {
        let Some(built) = check_ready(task) else {
            return Ok(Advance::Waits);
        };
        let nav = self.nav.add_built_unit_type(built?)?;
        let options = self.options.clone();
        let task = workers.spawn(move || Squad::new(nav, &options));
        Ok(Advance::Has(Coming::Squad(task)))
    }

    fn take_squad(&mut self, task: &mut SquadTask) -> Result<Advance, Error> {
        let Some(squad) = check_ready(task) else {
            return Ok(Advance::Waits);
        };
        self.squads.push(squad?);
        Ok(Advance::Done)
    }

    /// Whether a walker is of the type that a profile says.
    pub fn is_of_type(&self, home: Home, profile: Option<&NavProfile>) -> bool {
        let squad = self.squads.get(home.squad as usize);
        match profile {
            None => home.squad == 0,
            Some(profile) => profile
                .unit_type()
                .is_ok_and(|unit| squad.is_some_and(|squad| squad.unit == unit)),
        }
    }
}
