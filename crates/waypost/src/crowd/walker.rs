//! One walker of a crowd: 32 bytes, so that two share a line of the cache.

use crate::grid::{Cell, Direction, Grid, Point};
use crate::map::Map;
use crate::stream::{Reader, Writer};

/// Names a walker; never names another one, also after the walker was removed and its place taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WalkerId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl WalkerId {
    /// A small number that no other walker has at the same time; walkers that come after it may have it again.
    pub fn index(self) -> usize {
        self.slot as usize
    }

    /// The id as one number, for bindings and files.
    pub const fn to_bits(self) -> u64 {
        (self.generation as u64) << 32 | self.slot as u64
    }

    /// The id that [`WalkerId::to_bits`] made a number of; any other number names no walker.
    pub const fn from_bits(bits: u64) -> WalkerId {
        WalkerId {
            slot: bits as u32,
            generation: (bits >> 32) as u32,
        }
    }

    /// No walker.
    pub(super) const NONE: WalkerId = WalkerId {
        slot: u32::MAX,
        generation: 0,
    };
}

/// What a walker is doing, for a game to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has no goal.
    Idle,
    /// It is on its way.
    Moving,
    /// It stands on its goal.
    Arrived,
    /// There is no way to its goal.
    Unreachable {
        /// The cell nearest to the goal that it can reach.
        nearest: Option<Point>,
    },
    /// The cell that it stands in has become a wall.
    Blocked,
    /// It has a goal and stands still, as it was told to.
    Holding,
    /// Its next cell is taken by another walker.
    Waiting {
        /// For how many ticks.
        ticks: u32,
    },
    /// There is a way to its goal, but others are in it and cannot all have theirs. It makes way for them, and tries again when anybody has got
    /// another order or the map has changed.
    Stuck {
        /// Why.
        why: Hindrance,
    },
}

/// Why a walker cannot get to a goal that the map has a way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hindrance {
    /// Walkers that hold their ground, or stand in walls, close every way.
    Holders,
    /// Walkers cannot pass each other: there is no order of moves that brings all of them to their goals.
    NoRoom,
    /// Another walker has the same goal.
    GoalTaken,
}

impl Hindrance {
    /// All of them.
    pub const ALL: [Hindrance; 3] = [Hindrance::Holders, Hindrance::NoRoom, Hindrance::GoalTaken];

    /// The one of a number that was written down.
    pub(super) fn from_number(number: u8) -> Option<Hindrance> {
        Hindrance::ALL.get(usize::from(number)).copied()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Gone,
    Idle,
    /// Has a goal that its agent has not been set up for.
    New,
    Going,
    Arrived,
    Unreachable,
    Blocked,
    /// Others are in the way for good.
    Stuck(Hindrance),
}

impl State {
    const ALL: [State; 10] = [
        State::Gone,
        State::Idle,
        State::New,
        State::Going,
        State::Arrived,
        State::Unreachable,
        State::Blocked,
        State::Stuck(Hindrance::Holders),
        State::Stuck(Hindrance::NoRoom),
        State::Stuck(Hindrance::GoalTaken),
    ];

    /// The number that it is written down as.
    fn number(self) -> u8 {
        let mut all = State::ALL.into_iter();
        all.position(|state| state == self).unwrap_or(0) as u8
    }

    /// The state of a number that was written down.
    fn from_number(number: u8) -> Option<State> {
        State::ALL.get(usize::from(number)).copied()
    }
}

/// Facts about a walker, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u16);

impl Flags {
    /// Waits in the queue of those without a plan.
    pub(crate) const QUEUED: Flags = Flags(1);
    /// Waits in the queue of those that have one still.
    pub const AHEAD: Flags = Flags(2);
    /// Its goal has been found to be in reach on the map as it is.
    pub(crate) const CONNECTED: Flags = Flags(4);
    /// Goes to the end of the order of precedence.
    pub(crate) const YIELDS: Flags = Flags(8);
    /// Its step of this tick is settled.
    pub(crate) const SETTLED: Flags = Flags(16);
    /// Its agent has been started for the goal: what it has learned on the way is kept.
    pub(crate) const STARTED: Flags = Flags(32);
    /// It has made provisional steps towards the goal.
    pub(crate) const STEPPED: Flags = Flags(64);
    /// It stands beside its path: the plan that it queues for begins where it stands.
    pub(crate) const ASTRAY: Flags = Flags(128);
    /// It stands where it is until it is told otherwise, and nobody makes it give way.
    pub(crate) const HOLDS: Flags = Flags(256);
    /// Its last move is not over yet: it does not move in this tick.
    pub(crate) const RESTS: Flags = Flags(512);
    /// It has moved in this tick.
    pub(crate) const MOVED: Flags = Flags(1024);
    /// Where the direction of the last move is kept, of those whose moves take several ticks.
    const DIRECTION_BIT: u32 = 11;
}

/// How fast a walker is: the ticks of a move, and how many of the last one are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace(u8);

/// The most ticks that a move may take.
pub const MAX_MOVE_TICKS: u32 = 16;

impl Pace {
    /// A move takes this many ticks, 1 to [`MAX_MOVE_TICKS`].
    pub fn new(ticks: u32) -> Option<Pace> {
        (1..=MAX_MOVE_TICKS)
            .contains(&ticks)
            .then(|| Pace(ticks as u8 - 1))
    }

    /// The ticks of a move, and how many of the last one are left.
    pub fn ticks(self) -> (u32, u32) {
        (u32::from(self.0 & 15) + 1, u32::from(self.0 >> 4))
    }

    /// Another speed; a move that is not over takes no longer than one of that speed.
    pub fn change(&mut self, to: Pace) {
        self.0 = to.0 | (self.0 >> 4).min(to.0) << 4;
    }

    /// A move has begun.
    #[inline]
    fn begin(&mut self) {
        self.0 = self.0 & 15 | self.0 << 4;
    }

    /// A tick has begun; true while the last move is not over.
    #[inline]
    fn rests(&mut self) -> bool {
        let rests = self.0 > 15;
        if rests {
            self.0 -= 16;
        }
        rests
    }
}

/// Where a walker is and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walker {
    pub at: Cell,
    pub goal: Cell,
    /// What the next step adds to the cell's id, while there are `steps`; what the last one added, otherwise.
    pub offset: u32,
    pub generation: u32,
    /// Whom it follows; of one that follows nobody the generation is the number of its group ([`Walker::group`]).
    pub leader: WalkerId,
    /// Steps left of the leg that is walked.
    pub steps: u16,
    /// Ticks that the next cell has been taken.
    pub waits: u16,
    pub state: State,
    pub pace: Pace,
    flags: Flags,
}

const _: () = assert!(size_of::<Walker>() == 32);

impl Walker {
    pub fn new(at: Cell, generation: u32) -> Walker {
        Walker {
            at,
            goal: Cell::NONE,
            offset: 0,
            generation,
            leader: WalkerId::NONE,
            steps: 0,
            waits: 0,
            state: State::Idle,
            pace: Pace(0),
            flags: Flags::YIELDS,
        }
    }

    #[inline]
    pub fn is(&self, flag: Flags) -> bool {
        self.flags.0 & flag.0 != 0
    }

    #[inline]
    pub fn set(&mut self, flag: Flags, value: bool) {
        if value {
            self.flags.0 |= flag.0;
        } else {
            self.flags.0 &= !flag.0;
        }
    }

    #[inline]
    pub fn is_there(&self) -> bool {
        self.state != State::Gone
    }

    /// A tick begins; returns whether the walker may move in it.
    #[inline]
    pub fn is_ready(&mut self) -> bool {
        let rests = self.pace.rests();
        self.set(Flags::MOVED, false);
        self.set(Flags::RESTS, rests);
        !rests && !self.is(Flags::HOLDS)
    }

    /// Moves to a cell.
    #[inline]
    pub(crate) fn move_to(&mut self, cell: Cell) {
        self.at = cell;
        self.set(Flags::MOVED, true);
        self.pace.begin();
    }

    /// Moves on along its leg.
    #[inline]
    pub fn step(&mut self, grid: &Grid) {
        self.move_to(self.ahead());
        self.steps -= 1;
        if self.pace.ticks().1 > 0 {
            self.keep_direction(grid);
        }
    }

    /// Keeps the direction of its last step, for it may have a plan for the next one while it makes that.
    fn keep_direction(&mut self, grid: &Grid) {
        let from = self.previous();
        let mut ways = Direction::ALL.into_iter();
        if let Some(way) = ways.find(|&way| grid.neighbour(from, way) == self.at) {
            let kept = 7 << Flags::DIRECTION_BIT;
            self.flags.0 = self.flags.0 & !kept | (way as u16) << Flags::DIRECTION_BIT;
        }
    }

    /// The cell that the step leads from that it has made in this tick or is still at; where it stands if there is none.
    pub(crate) fn comes_from(&self, grid: &Grid) -> Cell {
        let number = usize::from(self.flags.0 >> Flags::DIRECTION_BIT & 7);
        if self.is(Flags::RESTS) {
            grid.neighbour(self.at, Direction::ALL[number].opposite())
        } else if self.is(Flags::MOVED) {
            self.previous()
        } else {
            self.at
        }
    }

    /// The cell of the next step.
    #[inline]
    pub fn ahead(&self) -> Cell {
        Cell(self.at.0.wrapping_add(self.offset))
    }

    /// The cell that the last step led from; itself where there was none.
    #[inline]
    pub fn previous(&self) -> Cell {
        Cell(self.at.0.wrapping_sub(self.offset))
    }

    /// Where the leg ends that begins at a cell: at the walker, or, where no two walkers share a cell, at the end of its track.
    #[inline]
    pub fn leg_end(&self, from: Cell) -> Cell {
        let way = self.offset.wrapping_mul(self.steps.into());
        Cell(from.0.wrapping_add(way))
    }

    /// Plans to go from a cell to a neighbour of it and on in that direction.
    #[inline]
    pub(crate) fn head_for(&mut self, from: Cell, next: Cell, more: u32) {
        self.offset = next.0.wrapping_sub(from.0);
        self.steps = more.saturating_add(1).min(u16::MAX.into()) as u16;
    }

    /// A new goal: whatever was planned for the last one is void.
    pub(crate) fn new_goal(&mut self, goal: Cell) {
        self.goal = goal;
        self.steps = 0;
        self.waits = 0;
        self.state = State::New;
        self.set(Flags::CONNECTED, false);
        self.set(Flags::STARTED, false);
        self.set(Flags::STEPPED, false);
        self.set(Flags::ASTRAY, false);
        self.set(Flags::YIELDS, true);
    }

    /// Whether its goal is wherever another walker stands.
    #[inline]
    pub fn follows(&self) -> bool {
        self.leader.slot != WalkerId::NONE.slot
    }

    /// It is one of a group, all members of which are told the same number; until it is told anything else.
    pub(crate) fn join(&mut self, group: u32) {
        self.leader = WalkerId {
            generation: group,
            ..WalkerId::NONE
        };
    }

    /// The number of the group that it was sent with.
    #[inline]
    pub(crate) fn group(&self) -> Option<u32> {
        let number = self.leader.generation;
        (!self.follows() && number != WalkerId::NONE.generation).then_some(number)
    }

    /// Takes over a goal from another one of its group. It keeps its place in the order of precedence.
    pub(crate) fn take_goal(&mut self, goal: Cell) {
        let yields = self.is(Flags::YIELDS);
        self.new_goal(goal);
        self.set(Flags::YIELDS, yields);
    }

    /// Its goal is withdrawn. One that stands in a wall stays where it is.
    pub(crate) fn lose_goal(&mut self) {
        if self.state == State::Blocked {
            self.leader = WalkerId::NONE;
            self.goal = Cell::NONE;
        } else {
            self.halt();
        }
    }

    pub fn halt(&mut self) {
        self.leader = WalkerId::NONE;
        self.goal = Cell::NONE;
        self.steps = 0;
        self.waits = 0;
        self.state = State::Idle;
    }

    /// Bytes that it is written down in.
    pub(crate) const BYTES: usize = 32;

    pub fn save(&self, out: &mut Writer) {
        let mut bytes = [0; Walker::BYTES];
        let words = [
            self.at.0,
            self.goal.0,
            self.offset,
            self.generation,
            self.leader.slot,
            self.leader.generation,
        ];
        for (four, word) in bytes.chunks_exact_mut(4).zip(words) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        for (two, number) in
            bytes[24..30]
                .chunks_exact_mut(2)
                .zip([self.steps, self.waits, self.flags.0])
        {
            two.copy_from_slice(&number.to_le_bytes());
        }
        bytes[30] = self.state.number();
        bytes[31] = self.pace.0;
        out.raw(&bytes);
    }

    /// What [`Walker::save`] wrote; `None` where it is no walker of this map.
    pub fn load(map: &Map, from: &mut Reader) -> Option<Walker> {
        let bound = map.grid().id_bound();
        let walker = Walker {
            at: from.cell(bound)?,
            goal: from.cell(bound)?,
            offset: from.u32()?,
            generation: from.u32()?,
            leader: WalkerId {
                slot: from.u32()?,
                generation: from.u32()?,
            },
            steps: from.u16()?,
            waits: from.u16()?,
            flags: Flags(from.u16()?),
            state: State::from_number(from.u8()?)?,
            pace: Pace(from.u8()?),
        };
        // A wall may have come up where it stands since the last tick.
        (walker.at != Cell::NONE).then_some(walker)
    }

    /// Whether the leg stays on the map that begins at a cell ([`Walker::leg_end`]).
    pub(crate) fn leg_is_on(&self, map: &Map, start: Cell) -> bool {
        let bound = map.grid().id_bound();
        let next = Cell(start.0.wrapping_add(self.offset));
        self.steps == 0 || self.leg_end(start).index() < bound && next.index() < bound
    }

    pub fn status(&self, map: &Map) -> Status {
        if self.state != State::Unreachable {
            return self.state_alone();
        }
        let goal = map.grid().point(self.goal);
        let nearest = map.nearest_reachable(self.at, goal);
        Status::Unreachable {
            nearest: nearest.map(|cell| map.grid().point(cell)),
        }
    }

    /// The same without the cell nearest to a goal that cannot be reached, which takes a search.
    pub(crate) fn state_alone(&self) -> Status {
        match self.state {
            State::Gone | State::Idle => Status::Idle,
            State::New | State::Going if self.is(Flags::HOLDS) => Status::Holding,
            State::New | State::Going if self.waits > 0 => Status::Waiting {
                ticks: self.waits.into(),
            },
            State::New | State::Going => Status::Moving,
            State::Arrived => Status::Arrived,
            State::Blocked => Status::Blocked,
            State::Unreachable => Status::Unreachable { nearest: None },
            State::Stuck(why) => Status::Stuck { why },
        }
    }
}
