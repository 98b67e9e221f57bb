//! The search for a way out of a knot: over configurations, which say where all of its walkers stand.
//!
//! It is LaCAM (Okumura, "LaCAM: search-based algorithm for quick multi-agent pathfinding", AAAI 2023). Depth first; the successor of a
//! configuration is what priority inheritance makes of it, with some walkers bound to go to certain cells. Each time that a configuration
//! is looked at it gets the next of these constraints, of which there are in the end as many as ways for all walkers to go on. So the search
//! finds a way out soon where inheritance nearly knows one, and where there is none it comes to an end.

use super::NOBODY;
use super::window::Window;

/// A walker that has left the window.
const GONE: u16 = NOBODY;
/// A cell that is not decided yet.
const OPEN: u16 = NOBODY - 1;
/// No node, or no constraint.
const NONE: u32 = u32::MAX;
/// The longest chain of walkers that one pushes.
const LONGEST_CHAIN: u32 = 256;
/// Bytes that a search may hold.
const MOST_BYTES: usize = 16 << 20;
/// So many configurations ahead a schedule is looked through for one that can be had at once.
const SHORTCUT: usize = 48;
/// The code of a walker that stays, and of one that has left the window; those below are directions.
pub const STAYS: u8 = 8;
pub const LEAVES: u8 = 9;

/// What is wanted for a walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing: it makes way for others.
    Free,
    /// That it stands in a cell in the end.
    Goal(u16),
    /// That it gets to a cell and leaves the window there.
    Gate(u16),
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Searching,
    Found,
    /// There is no way out.
    Impossible,
    /// It has used up its memory.
    GaveUp,
}

/// A walker that is bound to go to a cell, on top of those of the parent.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    parent: u32,
    /// The next one of the same configuration.
    next: u32,
    who: u16,
    to: u16,
    depth: u16,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// Its constraints that have not been tried.
    first: u32,
    last: u32,
}

#[derive(Debug)]
pub struct Search {
    targets: Vec<Target>,
    cells: usize,
    /// Steps from every cell to the target of each walker, walker by walker; rows that are found so far.
    distances: Vec<u16>,
    queue: Vec<u16>,
    nodes: Vec<Node>,
    /// Cells of the walkers, who comes first, and for how long each has not been on its target, node by node.
    places: Vec<u16>,
    orders: Vec<u16>,
    ages: Vec<u16>,
    constraints: Vec<Constraint>,
    open: Vec<u32>,
    /// Nodes by what their places hash to, in open addressing.
    table: Vec<u32>,
    found: u32,
    round: Round,
}

/// The successor that is being made.
#[derive(Debug, Default)]
struct Round {
    /// By walker: where it stands and where it goes.
    from: Vec<u16>,
    to: Vec<u16>,
    /// By cell: who stands there, and who will.
    now: Vec<u16>,
    next: Vec<u16>,
    /// A walker that has to make way for a bound one cannot.
    is_broken: bool,
    /// Makes ties differ from one time to the next.
    salt: u32,
}

impl Search {
    /// From these places to these targets.
    pub fn new(window: &Window, starts: &[u16], targets: Vec<Target>) -> Search {
        let (members, cells) = (starts.len(), window.cells().len());
        let mut search = Search {
            targets,
            cells,
            distances: Vec::with_capacity(members * cells),
            queue: Vec::with_capacity(cells),
            nodes: Vec::new(),
            places: Vec::new(),
            orders: Vec::new(),
            ages: Vec::new(),
            constraints: Vec::new(),
            open: Vec::new(),
            table: vec![NONE; 64],
            found: NONE,
            round: Round {
                from: vec![GONE; members],
                to: vec![OPEN; members],
                now: vec![NOBODY; cells],
                next: vec![NOBODY; cells],
                is_broken: false,
                salt: 0,
            },
        };
        search.round.to.copy_from_slice(starts);
        search
    }

    fn members(&self) -> usize {
        self.targets.len()
    }

    /// What a step costs at most, in expansions.
    pub fn step_cost(&self) -> u64 {
        match self.is_prepared() {
            true => 4 + 4 * self.members() as u64,
            false => 1 + self.cells as u64,
        }
    }

    fn is_prepared(&self) -> bool {
        self.distances.len() == self.members() * self.cells
    }

    /// Goes on by one step: the distances to one target, or one successor.
    pub fn step(&mut self, window: &Window) -> Outcome {
        if !self.is_prepared() {
            self.measure(window);
            if self.is_prepared() {
                let (ages, places) = (vec![0; self.members()], self.round.to.clone());
                self.enter(NONE, &places, &ages);
            }
        } else {
            self.look_on(window);
        }
        let bytes = (self.places.len() + self.orders.len() + self.ages.len()) * 2
            + self.constraints.len() * size_of::<Constraint>();
        if self.found != NONE {
            Outcome::Found
        } else if self.is_prepared() && self.open.is_empty() {
            Outcome::Impossible
        } else if bytes > MOST_BYTES {
            Outcome::GaveUp
        } else {
            Outcome::Searching
        }
    }

    /// Finds the distances to the next target.
    fn measure(&mut self, window: &Window) {
        let start = self.distances.len();
        let member = start / self.cells.max(1);
        let (Target::Goal(target) | Target::Gate(target)) = self.targets[member] else {
            self.distances.resize(start + self.cells, 0);
            return;
        };
        self.distances.resize(start + self.cells, NOBODY);
        let row = &mut self.distances[start..];
        row[usize::from(target)] = 0;
        self.queue.clear();
        self.queue.push(target);
        let mut done = 0;
        while let Some(&cell) = self.queue.get(done) {
            done += 1;
            let distance = row[usize::from(cell)] + 1;
            for &next in window.steps(cell).iter().filter(|&&next| next != NOBODY) {
                if row[usize::from(next)] == NOBODY {
                    row[usize::from(next)] = distance;
                    self.queue.push(next);
                }
            }
        }
    }

    fn places_of(&self, node: u32) -> &[u16] {
        let first = node as usize * self.members();
        &self.places[first..first + self.members()]
    }

    /// Tries the next constraint of the configuration that was found last.
    fn look_on(&mut self, window: &Window) {
        let Some(&node) = self.open.last() else {
            return;
        };
        let tried = self.nodes[node as usize].first;
        if tried == NONE {
            self.open.pop();
            return;
        }
        let constraint = self.constraints[tried as usize];
        self.nodes[node as usize].first = constraint.next;
        if constraint.next == NONE {
            self.nodes[node as usize].last = NONE;
        }
        self.bind_next(window, node, tried, constraint.depth);
        if self.succeed(window, node, tried) {
            let places = std::mem::take(&mut self.round.to);
            match self.find(&places) {
                Some(known) => self.open.push(known),
                None => {
                    let members = self.members();
                    let first = node as usize * members;
                    let ages: Vec<u16> = self.ages[first..first + members].to_vec();
                    self.enter(node, &places, &ages);
                }
            }
            self.round.to = places;
        }
    }

    /// Adds the constraints that bind one walker more than this one does.
    fn bind_next(&mut self, window: &Window, node: u32, parent: u32, depth: u16) {
        let members = self.members();
        if usize::from(depth) == members {
            return;
        }
        let who = self.orders[node as usize * members + usize::from(depth)];
        let at = self.places_of(node)[usize::from(who)];
        if at == GONE || self.targets[usize::from(who)] == Target::Gate(at) {
            return self.bind(node, parent, who, GONE, depth + 1);
        }
        self.bind(node, parent, who, at, depth + 1);
        for &next in window.steps(at).iter().filter(|&&next| next != NOBODY) {
            self.bind(node, parent, who, next, depth + 1);
        }
    }

    fn bind(&mut self, node: u32, parent: u32, who: u16, to: u16, depth: u16) {
        let number = self.constraints.len() as u32;
        self.constraints.push(Constraint {
            parent,
            next: NONE,
            who,
            to,
            depth,
        });
        let node = &mut self.nodes[node as usize];
        match node.last {
            NONE => node.first = number,
            last => self.constraints[last as usize].next = number,
        }
        node.last = number;
    }

    /// Makes the successor of a configuration under constraints; false where there is none.
    fn succeed(&mut self, window: &Window, node: u32, mut constraint: u32) -> bool {
        let members = self.members();
        let first = node as usize * members;
        let round = &mut self.round;
        round.from.clear();
        round
            .from
            .extend_from_slice(&self.places[first..first + members]);
        round.to.clear();
        round.to.resize(members, OPEN);
        round.now.fill(NOBODY);
        round.next.fill(NOBODY);
        round.is_broken = false;
        round.salt = round.salt.wrapping_add(1);
        for (i, &at) in round.from.iter().enumerate() {
            if at == GONE || self.targets[i] == Target::Gate(at) {
                round.to[i] = GONE;
            } else {
                round.now[usize::from(at)] = i as u16;
            }
        }
        while constraint != NONE {
            let Constraint {
                parent, who, to, ..
            } = self.constraints[constraint as usize];
            constraint = parent;
            if who == NOBODY || to == GONE {
                continue;
            }
            if !round.may_enter(who, to) {
                return false;
            }
            round.next[usize::from(to)] = who;
            round.to[usize::from(who)] = to;
        }
        let guide = Guide {
            window,
            targets: &self.targets,
            distances: &self.distances,
            cells: self.cells,
        };
        for i in 0..members {
            let who = self.orders[first + i];
            if self.round.to[usize::from(who)] == OPEN {
                // One that stays although it would rather go is as good, unless its cell is another's.
                self.round.settle(&guide, who, NOBODY, 0);
            }
            if self.round.is_broken {
                return false;
            }
        }
        true
    }

    /// Takes a new configuration down.
    fn enter(&mut self, parent: u32, places: &[u16], ages: &[u16]) {
        let number = self.nodes.len() as u32;
        let members = self.members();
        let first = self.ages.len();
        let mut is_there = true;
        for (i, &place) in places.iter().enumerate() {
            let rests = match self.targets[i] {
                Target::Free => true,
                Target::Goal(goal) => goal == place,
                Target::Gate(_) => place == GONE,
            };
            is_there &= rests;
            let age = if rests { 0 } else { ages[i].saturating_add(1) };
            self.ages.push(age);
        }
        self.places.extend_from_slice(places);
        let begin = self.orders.len();
        match parent {
            NONE => self.orders.extend(0..members as u16),
            parent => self
                .orders
                .extend_from_within(parent as usize * members..(parent as usize + 1) * members),
        }
        let ages = &self.ages[first..];
        let far = |i: u16| match parent {
            NONE => {
                self.distances[usize::from(i) * self.cells + usize::from(places[usize::from(i)])]
            }
            _ => 0,
        };
        self.orders[begin..].sort_by_key(|&i| std::cmp::Reverse((ages[usize::from(i)], far(i))));
        self.nodes.push(Node {
            parent,
            first: NONE,
            last: NONE,
        });
        // The first constraint binds nobody.
        self.bind(number, NONE, NOBODY, NOBODY, 0);
        self.open.push(number);
        self.put(number);
        if is_there {
            self.found = number;
        }
    }

    fn place_of(&self, places: &[u16]) -> usize {
        let mixed = places.iter().fold(0u64, |sum, &place| {
            (sum.rotate_left(5) ^ u64::from(place)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (mixed >> 20) as usize & (self.table.len() - 1)
    }

    fn find(&self, places: &[u16]) -> Option<u32> {
        let mut at = self.place_of(places);
        while self.table[at] != NONE {
            if self.places_of(self.table[at]) == places {
                return Some(self.table[at]);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        None
    }

    fn put(&mut self, node: u32) {
        if self.nodes.len() * 2 > self.table.len() {
            let size = self.table.len() * 2;
            self.table.clear();
            self.table.resize(size, NONE);
            for known in 0..node {
                self.put_in(known);
            }
        }
        self.put_in(node);
    }

    fn put_in(&mut self, node: u32) {
        let mut at = self.place_of(self.places_of(node));
        while self.table[at] != NONE {
            at = (at + 1) & (self.table.len() - 1);
        }
        self.table[at] = node;
    }

    /// The way that was found, step after step, a code for each walker.
    pub fn schedule(&mut self, window: &Window) -> Vec<u8> {
        let mut way = Vec::new();
        let mut node = self.found;
        while node != NONE {
            way.push(node);
            node = self.nodes[node as usize].parent;
        }
        way.reverse();
        let mut steps = Vec::new();
        let mut at = 0;
        while at + 1 < way.len() {
            let last = (at + SHORTCUT).min(way.len() - 1);
            let next = (at + 1..=last)
                .rev()
                .find(|&next| next == at + 1 || self.is_step(window, way[at], way[next]));
            let next = next.unwrap_or(at + 1);
            let ends = self
                .places_of(way[at])
                .iter()
                .zip(self.places_of(way[next]));
            steps.extend(
                ends.map(|(&from, &to)| match window_step(window, from, to) {
                    Some(code) => code,
                    None => LEAVES,
                }),
            );
            at = next;
        }
        steps
    }

    /// Whether one configuration can follow another at once.
    fn is_step(&mut self, window: &Window, from: u32, to: u32) -> bool {
        let members = self.members();
        let (from, to) = (from as usize * members, to as usize * members);
        let places = &self.places;
        let (from, to) = (&places[from..from + members], &places[to..to + members]);
        self.round.now.fill(NOBODY);
        for (i, &at) in from.iter().enumerate().filter(|(_, at)| **at != GONE) {
            self.round.now[usize::from(at)] = i as u16;
        }
        (0..members).all(|i| match (from[i], to[i]) {
            (GONE, GONE) => true,
            (at, GONE) => self.targets[i] == Target::Gate(at),
            (at, next) => {
                let there = self.round.now[usize::from(next)];
                let exchanges =
                    there != NOBODY && usize::from(there) != i && to[usize::from(there)] == at;
                !exchanges
                    && self.targets[i] != Target::Gate(at)
                    && window_step(window, at, next).is_some()
            }
        })
    }
}

/// The code of a step between cells of a window; `None` where there is none.
fn window_step(window: &Window, from: u16, to: u16) -> Option<u8> {
    match (from, to) {
        (GONE, _) | (_, GONE) => None,
        (from, to) if from == to => Some(STAYS),
        (from, to) => window.direction(from, to).map(|direction| direction as u8),
    }
}

/// What walkers go by.
struct Guide<'a> {
    window: &'a Window,
    targets: &'a [Target],
    distances: &'a [u16],
    cells: usize,
}

impl Round {
    fn may_enter(&self, who: u16, cell: u16) -> bool {
        let there = self.now[usize::from(cell)];
        let exchanges = there != NOBODY
            && there != who
            && self.to[usize::from(there)] == self.from[usize::from(who)];
        self.next[usize::from(cell)] == NOBODY && !exchanges
    }

    /// Decides where a walker goes, pushing whoever stands there; false where it stays although it should not.
    fn settle(&mut self, guide: &Guide, who: u16, pusher: u16, depth: u32) -> bool {
        let (me, at) = (usize::from(who), self.from[usize::from(who)]);
        let row = &guide.distances[me * guide.cells..(me + 1) * guide.cells];
        let is_free = guide.targets[me] == Target::Free;
        let mut ways = [u64::MAX; 9];
        let mut count = 0;
        let mut add = |cell: u16, stays: bool| {
            let taken = self.now[usize::from(cell)] != NOBODY && !stays;
            let mixed =
                (u32::from(who) << 16 ^ u32::from(cell) ^ self.salt.wrapping_mul(0x9e37_79b9))
                    .wrapping_mul(0x85eb_ca6b);
            let distance = u64::from(row[usize::from(cell)]) + u64::from(is_free && !stays);
            ways[count] = distance << 40
                | u64::from(taken) << 39
                | u64::from(mixed >> 20) << 20
                | u64::from(cell);
            count += 1;
        };
        add(at, true);
        for &next in guide.window.steps(at).iter().filter(|&&n| n != NOBODY) {
            add(next, false);
        }
        ways[..count].sort_unstable();
        for way in &ways[..count] {
            let cell = *way as u16;
            if !self.may_enter(who, cell) {
                continue;
            }
            let there = self.now[usize::from(cell)];
            self.next[usize::from(cell)] = who;
            self.to[me] = cell;
            let has_to_push =
                there != NOBODY && there != who && self.to[usize::from(there)] == OPEN;
            if !has_to_push || depth < LONGEST_CHAIN && self.settle(guide, there, who, depth + 1) {
                return true;
            }
            if self.is_broken {
                return false;
            }
            if self.next[usize::from(cell)] == who {
                self.next[usize::from(cell)] = NOBODY;
            }
            self.to[me] = OPEN;
        }
        let taken_by = self.next[usize::from(at)];
        self.is_broken |= taken_by != NOBODY && taken_by != pusher;
        self.next[usize::from(at)] = who;
        self.to[me] = at;
        false
    }
}
