//! Keeps the best node of the last pushes out of the list behind it: very often it is the next to be taken.

use super::{Entry, Nodes, OpenList, Ranked};
use crate::cost::Cost;
use crate::grid::Cell;

/// A list with one place in front of it.
#[derive(Clone, Debug, Default)]
pub struct LastInserted<O> {
    list: O,
    front: Option<Entry>,
}

impl<O> LastInserted<O> {
    /// Puts a place in front of a list.
    pub fn before(list: O) -> LastInserted<O> {
        LastInserted { list, front: None }
    }
}

impl<O: OpenList + Ranked> Nodes for LastInserted<O> {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        let entry = Entry::new(key, g, cell, self.list.ties());
        match self.front {
            Some(front) if front.rank < entry.rank => self.list.push_entry(entry),
            Some(front) => {
                self.list.push_entry(front);
                self.front = Some(entry);
            }
            None => self.front = Some(entry),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        match self.front {
            Some(front)
                if self
                    .list
                    .least_rank()
                    .is_none_or(|least| front.rank <= least) =>
            {
                self.front = None;
                Some(front.key_and_cell())
            }
            _ => self.list.pop(),
        }
    }
}

impl<O: OpenList + Ranked> OpenList for LastInserted<O> {
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const MAX_GROWTH: Cost = O::MAX_GROWTH;

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        self.list.clear(lowest, growth);
        self.front = None;
    }

    fn memory_bytes(&self) -> usize {
        self.list.memory_bytes() + size_of::<Option<Entry>>()
    }
}
