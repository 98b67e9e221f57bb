//! Knots: walkers that are in each other's way for so long that the rule alone will not part them.
//!
//! A walker that has a goal and has been near one place for long ([`Watch`]) is looked at with all that stand around it: the cells of a
//! [`Window`], everything that can be reached if that is not much, and the walkers in it. These stand still while a bounded search
//! ([`search`]) looks for a way that brings all of them to their goals, or out of the window along their paths, a slice of it in every tick.
//! Then they walk that way together, step by step. Others do not enter the window meanwhile, and make room at its rim.
//!
//! Where everything that can be reached is in the window the search may also find that there is no way. Then the last of the
//! walkers, in the order of precedence, has to do without its goal, and so on until there is a way for the others; on lines and rings,
//! where nobody passes anybody, the order of the walkers says at once who that is ([`order`]).
//!
//! A knot depends on nothing but what is written down of it: a search that is under way is begun again after a snapshot, and carried
//! on to the step where it was.

mod carry;
mod order;
mod save;
mod search;
mod watch;
mod window;

use crate::crowd::walker::{Flags, Hindrance, State, Walker};
use crate::grid::Cell;
use crate::map::Map;
pub(in crate::crowd) use search::Target;
use search::{Outcome, Search};
pub(in crate::crowd) use watch::{EVERY as WATCH_EVERY, Sample, Watch};
pub(in crate::crowd) use window::Window;

/// No cell of a window, and no walker of a knot.
const NOBODY: u16 = u16::MAX;
/// The most cells of a window.
pub(in crate::crowd) const MOST_CELLS: usize = 1024;
/// The cells of a window that does not hold all that can be reached, by how often that was tried.
const FEW_CELLS: [usize; 4] = [96, 256, 512, MOST_CELLS];
/// Expansions that the search of a knot may take in all, by how often it was tried.
const MOST_WORK: [u64; 4] = [300_000, 1_200_000, 4_800_000, 4_800_000];

/// A walker of a knot, and what was true of it when the search began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crowd) struct Member {
    pub slot: u32,
    pub generation: u32,
    pub goal: Cell,
    /// Why it has to do without its goal.
    pub without: Option<Hindrance>,
}

/// What is being done about a knot.
#[derive(Debug)]
enum Phase {
    /// How many steps of the search are done, and what they took.
    Searching {
        search: Box<Search>,
        steps: u64,
        work: u64,
    },
    Carrying(Carried),
}

/// A schedule that is carried out.
#[derive(Debug)]
struct Carried {
    /// What each walker does in each step ([`search::STAYS`]).
    codes: Vec<u8>,
    /// Steps that are done.
    done: usize,
    /// Ticks since the last one.
    held_up: u32,
}

/// Walkers that are to be parted.
#[derive(Debug)]
pub(in crate::crowd) struct Knot {
    level: u8,
    map_state: u64,
    window: Window,
    members: Vec<Member>,
    targets: Vec<Target>,
    /// Where they stood when the search began.
    starts: Vec<u16>,
    phase: Phase,
    /// Somebody has come into the window.
    is_disturbed: bool,
}

/// What became of a knot in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crowd) enum Untied {
    /// It is being worked at.
    NotYet,
    /// All members are where they can be.
    Done,
    /// No way was found, or something came between.
    GivenUp,
}

impl Knot {
    /// The window for a walker that was looked at so many times before.
    pub fn window(map: &Map, at: Cell, level: u8, is_wall: impl Fn(Cell) -> bool) -> Window {
        let few = FEW_CELLS[usize::from(level).min(FEW_CELLS.len() - 1)];
        Window::around(map, at, MOST_CELLS, few, is_wall)
    }

    /// A knot of these walkers, those that come first first; `None` where there is nothing to be done about them.
    pub fn new(
        map: &Map,
        level: u8,
        window: Window,
        members: Vec<Member>,
        targets: Vec<Target>,
        walkers: &[Walker],
    ) -> Option<Knot> {
        let places = members.iter();
        let starts = places.map(|member| window.number(walkers[member.slot as usize].at));
        let starts: Vec<u16> = starts.collect::<Option<_>>()?;
        let mut knot = Knot {
            level,
            map_state: map.fingerprint(),
            phase: Phase::searching(&window, &starts, &targets),
            window,
            members,
            targets,
            starts,
            is_disturbed: false,
        };
        let rests = |(target, start): (&Target, &u16)| match target {
            Target::Free => true,
            Target::Goal(goal) => goal == start,
            Target::Gate(_) => false,
        };
        let wanting = knot.targets.iter().zip(&knot.starts);
        let wanting = wanting.filter(|pair| !rests(*pair)).count();
        let renounces = knot.members.iter().any(|member| member.without.is_some());
        if wanting == 0 && !renounces {
            return None;
        }
        if let Some(out) = order::out_of_order(&knot.window, &knot.starts, &knot.targets)
            && knot.window.is_closed()
        {
            for i in out {
                knot.renounce(i, Hindrance::NoRoom);
            }
            knot.search_again();
        }
        Some(knot)
    }

    /// A member has to do without its goal.
    fn renounce(&mut self, i: usize, why: Hindrance) {
        self.targets[i] = Target::Free;
        self.members[i].without = Some(why);
    }

    fn search_again(&mut self) {
        self.phase = Phase::searching(&self.window, &self.starts, &self.targets);
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// A walker has come to a cell from outside the crowd.
    pub fn somebody_at(&mut self, cell: Cell) {
        self.is_disturbed |= self.window.number(cell).is_some();
    }

    /// Whether a member has reached the cell where it leaves the window: from there on it walks as all others do.
    fn is_out(&self, i: usize) -> bool {
        let (Phase::Carrying(carried), members) = (&self.phase, self.members.len()) else {
            return false;
        };
        let steps = carried.codes.len() / members;
        let row = carried.done.min(steps.saturating_sub(1)) * members;
        carried.codes.get(row + i) == Some(&search::LEAVES)
    }

    /// Whether all is as it was when the search began.
    fn is_sound(&self, map: &Map, walkers: &[Walker]) -> bool {
        let is_same = |(i, member): (usize, &Member)| {
            let walker = &walkers[member.slot as usize];
            self.is_out(i)
                || walker.is_there()
                    && walker.generation == member.generation
                    && walker.goal == member.goal
                    && !walker.is(Flags::HOLDS)
                    && !matches!(walker.state, State::Blocked | State::Unreachable)
        };
        !self.is_disturbed
            && self.map_state == map.fingerprint()
            && self.members.iter().enumerate().all(is_same)
    }

    /// Works at it for so many expansions; gives what became of it and how many it took.
    pub fn work_on(&mut self, map: &Map, walkers: &[Walker], expansions: u64) -> (Untied, u64) {
        if !self.is_sound(map, walkers) {
            return (Untied::GivenUp, 0);
        }
        let (mut spent, most_work) = (0, self.most_work());
        let outcome = loop {
            match &mut self.phase {
                Phase::Carrying(carried) => {
                    let is_over = carried.done * self.members.len() >= carried.codes.len();
                    break match is_over {
                        true => Untied::Done,
                        false if carried.held_up > carry::MOST_HELD_UP => Untied::GivenUp,
                        false => Untied::NotYet,
                    };
                }
                Phase::Searching { work, .. } if *work >= most_work => {
                    break Untied::GivenUp;
                }
                Phase::Searching { .. } if spent >= expansions => break Untied::NotYet,
                Phase::Searching { .. } => {
                    let (outcome, cost) = self.step();
                    spent += cost;
                    if outcome == Outcome::GaveUp || !self.follow(outcome) {
                        break Untied::GivenUp;
                    }
                }
            }
        };
        (outcome, spent)
    }

    fn most_work(&self) -> u64 {
        MOST_WORK[usize::from(self.level).min(MOST_WORK.len() - 1)]
    }

    /// One step of the search.
    fn step(&mut self) -> (Outcome, u64) {
        let Phase::Searching {
            search,
            steps,
            work,
        } = &mut self.phase
        else {
            return (Outcome::Found, 0);
        };
        let cost = search.step_cost();
        (*steps, *work) = (*steps + 1, *work + cost);
        (search.step(&self.window), cost)
    }

    /// Goes on from what the search has found; false where nothing can be done.
    fn follow(&mut self, outcome: Outcome) -> bool {
        match (&mut self.phase, outcome) {
            (Phase::Searching { search, .. }, Outcome::Found) => {
                let codes = search.schedule(&self.window);
                self.phase = Phase::Carrying(Carried {
                    codes,
                    done: 0,
                    held_up: 0,
                });
                true
            }
            (_, Outcome::Impossible) => self.give_one_up(),
            _ => true,
        }
    }

    /// There is no way for all: the last that is not on its goal, or the last at all, does without it. That is proved only where all that can be reached is
    /// in the window.
    fn give_one_up(&mut self) -> bool {
        let wants = |i: &usize| matches!(self.targets[*i], Target::Goal(_));
        let is_away = |i: &usize| self.targets[*i] != Target::Goal(self.starts[*i]);
        let all = 0..self.members.len();
        let last = all.clone().rev().filter(is_away).find(wants);
        let last = last.or_else(|| all.rev().find(wants));
        let Some(last) = last.filter(|_| self.window.is_closed()) else {
            return false;
        };
        self.renounce(last, Hindrance::NoRoom);
        self.search_again();
        true
    }
}

impl Phase {
    fn searching(window: &Window, starts: &[u16], targets: &[Target]) -> Phase {
        Phase::Searching {
            search: Box::new(Search::new(window, starts, targets.to_vec())),
            steps: 0,
            work: 0,
        }
    }
}
