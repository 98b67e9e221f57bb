use super::*;
use waypost_testkit::TestRng;

/// Pushes and pops at random and compares with a sorted list, within a window of keys.
fn check(mut list: impl OpenList, growth: Cost, seed: u64) {
    let mut rng = TestRng::new(seed);
    for round in 0..6 {
        let lowest = rng.below(1 << 20);
        list.clear(lowest, growth);
        let mut expected: Vec<(Cost, u32)> = Vec::new();
        let mut last = lowest;
        for number in 0..3000 {
            let what = format!("seed {seed}, round {round}, step {number}");
            if rng.percent(55) {
                let key = last + rng.below(growth + 1);
                list.push(key, rng.below(1000), Cell(number));
                expected.push((key, number));
                continue;
            }
            let popped = list.pop();
            assert_eq!(popped.is_some(), !expected.is_empty(), "{what}");
            let Some((key, cell)) = popped else {
                continue;
            };
            let least = expected.iter().map(|e| e.0).min();
            assert_eq!(Some(key), least, "{what}");
            let at = expected.iter().position(|&e| e == (key, cell.0));
            expected.swap_remove(at.expect("what was pushed"));
            last = key;
        }
    }
}

#[test]
fn every_list_pops_a_least_key() {
    for (seed, growth) in [(1, 2786), (2, 14), (3, 63), (4, 64), (5, 100_000)] {
        check(Buckets::default(), growth, seed);
        check(BucketsOrHeap::default(), growth, seed);
        for ties in [Ties::LargerG, Ties::Unbroken] {
            check(Heap::with_ties(ties), growth, seed);
            check(UnorderedArray::with_ties(ties), growth, seed);
            check(LastInserted::before(Heap::with_ties(ties)), growth, seed);
            let array = UnorderedArray::with_ties(ties);
            check(LastInserted::before(array), growth, seed);
        }
    }
}

#[test]
fn equal_keys_come_out_by_larger_g_or_last_in() {
    let mut heap = Heap::default();
    let mut buckets = Buckets::default();
    heap.clear(5, 10);
    buckets.clear(5, 10);
    for (g, cell) in [(1, 10), (3, 30), (2, 20)] {
        heap.push(5, g, Cell(cell));
        buckets.push(5, g, Cell(cell));
    }
    let heap: Vec<_> = std::iter::from_fn(|| heap.pop()).map(|e| e.1.0).collect();
    let buckets: Vec<_> = std::iter::from_fn(|| buckets.pop())
        .map(|e| e.1.0)
        .collect();
    assert_eq!(heap, [30, 20, 10]);
    assert_eq!(buckets, [20, 30, 10]);
}

#[test]
fn rounded_keys_come_out_in_their_order_and_the_ring_stays_small() {
    let (growth, bits) = (300_000, 10);
    let mut rng = TestRng::new(8);
    let mut list = Buckets::default();
    list.clear_rounded(1000, growth, 12);
    assert!(list.rounds() && list.memory_bytes() < 3000);
    let (mut held, mut last) = (Vec::new(), 1000);
    for number in 0..5000 {
        if rng.percent(55) {
            let key = last + rng.below(growth);
            list.push_rounded(key, 0, Cell(number));
            held.push((key >> bits << bits, number));
        } else if let Some((key, cell)) = list.pop_rounded() {
            let least = held.iter().map(|entry| entry.0).min();
            assert_eq!(Some(key), least, "step {number}");
            let at = held.iter().position(|&entry| entry == (key, cell.0));
            held.swap_remove(at.expect("what was pushed"));
            last = key;
        }
    }
    // Where the ring has a slot for every key, nothing is rounded.
    list.clear_rounded(0, 500, 9);
    assert!(!list.rounds());
}
