//! A contender, and how it is measured.

use crate::queries::{Place, Queries};
use crate::report::{Outcome, Times};
use cpu_time::{ProcessTime, ThreadTime};

use waypost::Map;
use waypost_testkit::allocations;

/// Finds whole paths.
pub trait Contender {
    /// Writes every cell of a path, start and goal included. False where it finds none.
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool;

    /// Nodes that the last query expanded, where the method counts them.
    fn expansions(&self) -> Option<u64> {
        None
    }
}

/// A contender's name and how it is prepared for a map, or why it is left out there.
pub struct Builder {
    pub name: String,
    #[allow(clippy::type_complexity)]
    pub build: Box<dyn Fn(&Map) -> Result<Box<dyn Contender + '_>, String>>,
}

/// A contender that has been prepared and checked.
pub struct Prepared<'a> {
    contender: Box<dyn Contender + 'a>,
    pub outcome: Outcome,
}

/// Prepares a contender, runs all queries one by one and checks their paths. Times of queries are those of the thread on the
/// processor, times of preparation those of all threads together. The mean is left to [`Prepared::time_round`].
pub fn measure<'a>(
    builder: &Builder,
    queries: &'a Queries,
    rounds: u32,
) -> Result<Prepared<'a>, String> {
    let (begun, held_before) = (ProcessTime::now(), allocations::held_by_all_threads());
    let contender = (builder.build)(&queries.map);
    let build_seconds = begun.elapsed().as_secs_f64();
    let built_bytes = allocations::held_by_all_threads() - held_before;
    let mut contender = contender?;
    let mut path = Vec::new();
    // The first search of all grows memory that is reused; it is not what a game sees.
    if let Some(longest) = queries.all.iter().max_by_key(|query| query.optimal) {
        contender.find(longest.from, longest.to, &mut path);
    }
    let clock = clock_us();
    let mut times = vec![f64::INFINITY; queries.all.len()];
    let (mut legal, mut optimal, mut excess) = (0, 0, 0.0);
    let (mut allocated, mut expansions) = (0, None);
    for round in 0..rounds {
        for (query, time) in queries.all.iter().zip(&mut times) {
            path.clear();
            let begun = ThreadTime::now();
            let (found, used) =
                allocations::measure(|| contender.find(query.from, query.to, &mut path));
            let taken = begun.elapsed().as_secs_f64() * 1e6 - clock;
            *time = time.min(taken.max(0.0));
            if round == 0 {
                allocated += used.count;
                if let Some(count) = contender.expansions() {
                    expansions = Some(expansions.unwrap_or(0) + count);
                }
                if let Some(cost) = queries.legal_cost(query, &path).filter(|_| found) {
                    legal += 1;
                    optimal += usize::from(cost == query.optimal);
                    excess += cost as f64 / query.optimal.max(1) as f64 - 1.0;
                }
            }
        }
    }
    let outcome = Outcome {
        name: builder.name.clone(),
        queries: queries.all.len(),
        legal,
        optimal,
        suboptimality_pct: 100.0 * excess / f64::from(legal.max(1) as u32),
        query_us: Times {
            mean: f64::INFINITY,
            ..Times::of(times)
        },
        build_seconds,
        memory_bytes: built_bytes.max(0) as u64,
        expansions_per_query: expansions.map(|sum| sum as f64 / queries.all.len() as f64),
        allocations_per_query: allocated as f64 / queries.all.len() as f64,
    };
    Ok(Prepared { contender, outcome })
}

impl Prepared<'_> {
    /// Runs all queries in one go; the mean is that of the fastest round. The clock's own cost, which is that of a short query,
    /// does not show so. Contenders take turns at rounds, so that a slow moment of the machine is not one contender's; as the
    /// one before has emptied the caches, a short round goes first untimed.
    pub fn time_round(&mut self, queries: &Queries) {
        let mut round = || {
            let mut path = Vec::new();
            let begun = ThreadTime::now();
            for query in &queries.all {
                path.clear();
                self.contender.find(query.from, query.to, &mut path);
            }
            begun.elapsed().as_secs_f64() * 1e6
        };
        let mut taken = round();
        if taken < SHORT_ROUND_US {
            taken = round();
        }
        let mean = &mut self.outcome.query_us.mean;
        *mean = mean.min(taken / queries.all.len().max(1) as f64);
    }
}

/// Rounds below this are run twice at each turn.
const SHORT_ROUND_US: f64 = 50_000.0;

/// What reading the clock twice costs, at least, in microseconds.
fn clock_us() -> f64 {
    let read = || {
        let begun = ThreadTime::now();
        begun.elapsed().as_secs_f64() * 1e6
    };
    (0..1000).map(|_| read()).fold(f64::INFINITY, f64::min)
}
