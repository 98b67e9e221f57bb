//! Corridors without a bay: on a line, or on a ring, nobody passes anybody, so who can stand on its goal follows from the order alone.

use super::search::Target;
use super::window::Window;

/// Of walkers at `starts`, those that come first first, the ones whose goals cannot be had together with the goals of those before them;
/// `None` where cells are neither a line nor a ring.
pub fn out_of_order(window: &Window, starts: &[u16], targets: &[Target]) -> Option<Vec<usize>> {
    let (line, is_ring) = window.as_line()?;
    let mut places = vec![0; line.len()];
    for (place, &cell) in line.iter().enumerate() {
        places[usize::from(cell)] = place;
    }
    // Who stands how many walkers from the beginning.
    let mut along: Vec<usize> = (0..starts.len()).collect();
    along.sort_unstable_by_key(|&i| places[usize::from(starts[i])]);
    let mut ranks = vec![0; starts.len()];
    for (rank, &i) in along.iter().enumerate() {
        ranks[i] = rank;
    }
    let (walkers, length) = (starts.len(), line.len());
    let mut out = Vec::new();
    // Ranks and places of those whose goals are granted; on a ring they are counted from the first of these on.
    let mut granted: Vec<(usize, usize)> = Vec::new();
    let mut origin = (!is_ring).then_some((0, 0));
    for (i, target) in targets.iter().enumerate() {
        let Target::Goal(goal) = *target else {
            continue;
        };
        let me = (ranks[i], places[usize::from(goal)]);
        let (rank, place) = *origin.get_or_insert(me);
        let me = (
            (me.0 + walkers - rank) % walkers,
            (me.1 + length - place) % length,
        );
        let is_ordered = me.1 >= me.0
            && length - me.1 >= walkers - me.0
            && granted.iter().all(|&other| have_room(other, me));
        if is_ordered {
            granted.push(me);
        } else {
            out.push(i);
        }
    }
    Some(out)
}

/// Whether all that stand between two walkers have room between their goals.
fn have_room(one: (usize, usize), other: (usize, usize)) -> bool {
    let (low, high) = if one.0 < other.0 {
        (one, other)
    } else {
        (other, one)
    };
    high.1 >= low.1 + (high.0 - low.0)
}
