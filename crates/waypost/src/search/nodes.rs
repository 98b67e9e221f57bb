//! Memory of the search loop: one entry per node id, made once and never cleared. A stamp says which search wrote it.

use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use std::collections::HashMap;

/// Takes note of the paths that a search loop finds.
pub trait Paths<L> {
    /// Records a path to a node if it is better than what is known; the node counts as open again then.
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool;

    /// Closes an open node and returns its cost and link; `None` where it is closed already.
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)>;
}

impl<L, P: Paths<L>> Paths<L> for &mut P {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        (**self).improve(cell, g, link)
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        (**self).close(cell)
    }
}

/// What a search knows of the nodes that it has reached.
pub trait NodeMemory: Paths<Self::Link> + Default + Send {
    /// What is kept of the way to a node: a direction on grids, the parent on other spaces.
    type Link: Copy + Send;

    /// The memory as a search loop uses it; see [`crate::open_list::OpenList::Running`].
    type Running<'a>: Paths<Self::Link>
    where
        Self: 'a;

    /// Lends the memory to a loop.
    fn run(&mut self) -> Self::Running<'_>;

    /// Bytes of one node.
    const NODE_BYTES: usize;

    /// Are searches in this memory compiled for the common heuristics apart? Costs compile time, so only the default is.
    const FAVOURED: bool = false;

    /// Forgets the last search.
    fn begin(&mut self, id_bound: usize);

    /// The cost of the best path known to a node and the last link on it; `None` where it was not reached.
    fn reached(&self, cell: Cell) -> Option<(Cost, Self::Link)>;

    /// Bytes held.
    fn memory_bytes(&self) -> usize;
}

/// What is kept of the way to a node, packed with the stamp of the search and whether the node is closed: one word is
/// written faster than three fields.
pub trait Link: Copy + Send {
    /// The word; all bits zero mean that no search was here.
    type Tag: Copy + Default + Send + std::fmt::Debug;

    /// The tag of an open node.
    fn open(self, stamp: u16) -> Self::Tag;

    /// The stamp in a tag.
    fn stamp(tag: Self::Tag) -> u16;

    /// The tag of the same node when it is closed; `None` where it is already.
    fn close(tag: Self::Tag) -> Option<Self::Tag>;

    /// The link in a tag.
    fn of(tag: Self::Tag) -> Self;
}

const CLOSED: u32 = 1 << 8;

/// A direction: stamp, closed, link.
impl Link for u8 {
    type Tag = u32;

    #[inline]
    fn open(self, stamp: u16) -> u32 {
        u32::from(stamp) << 16 | u32::from(self)
    }

    #[inline]
    fn stamp(tag: u32) -> u16 {
        (tag >> 16) as u16
    }

    #[inline]
    fn close(tag: u32) -> Option<u32> {
        (tag & CLOSED == 0).then_some(tag | CLOSED)
    }

    #[inline]
    fn of(tag: u32) -> u8 {
        tag as u8
    }
}

/// A parent, behind the tag of a direction.
impl Link for Cell {
    type Tag = [u32; 2];

    #[inline]
    fn open(self, stamp: u16) -> [u32; 2] {
        [0u8.open(stamp), self.0]
    }

    #[inline]
    fn stamp(tag: [u32; 2]) -> u16 {
        u8::stamp(tag[0])
    }

    #[inline]
    fn close(tag: [u32; 2]) -> Option<[u32; 2]> {
        u8::close(tag[0]).map(|closed| [closed, tag[1]])
    }

    #[inline]
    fn of(tag: [u32; 2]) -> Cell {
        Cell(tag[1])
    }
}

/// Eight bytes where the link is a direction.
#[derive(Clone, Copy, Debug)]
struct Node<T> {
    g: Cost,
    tag: T,
}

/// Preallocated memory: nothing is allocated or cleared per search. (Once in 65,535 searches the stamps start again.)
#[derive(Clone, Debug)]
pub struct Stamped<L: Link> {
    nodes: Vec<Node<L::Tag>>,
    stamp: u16,
}

impl<L: Link> Default for Stamped<L> {
    fn default() -> Stamped<L> {
        Stamped {
            nodes: Vec::new(),
            stamp: 0,
        }
    }
}

/// Nodes in the hands of a search loop.
pub struct RunningNodes<'a, L: Link> {
    nodes: &'a mut [Node<L::Tag>],
    stamp: u16,
}

impl<L: Link> Paths<L> for RunningNodes<'_, L> {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        let node = &mut self.nodes[cell.index()];
        if L::stamp(node.tag) == self.stamp && node.g <= g {
            return false;
        }
        *node = Node {
            g,
            tag: link.open(self.stamp),
        };
        true
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        let node = &mut self.nodes[cell.index()];
        node.tag = L::close(node.tag)?;
        Some((node.g, L::of(node.tag)))
    }
}

impl<L: Link> Paths<L> for Stamped<L> {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        self.running().improve(cell, g, link)
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        self.running().close(cell)
    }
}

impl<L: Link> Stamped<L> {
    #[inline]
    fn running(&mut self) -> RunningNodes<'_, L> {
        RunningNodes {
            nodes: &mut self.nodes,
            stamp: self.stamp,
        }
    }
}

impl<L: Link> NodeMemory for Stamped<L> {
    type Link = L;
    type Running<'a>
        = RunningNodes<'a, L>
    where
        L: 'a;

    fn run(&mut self) -> RunningNodes<'_, L> {
        self.running()
    }

    const FAVOURED: bool = true;

    const NODE_BYTES: usize = size_of::<Node<L::Tag>>();

    fn begin(&mut self, id_bound: usize) {
        if self.nodes.len() < id_bound {
            let blank = Node {
                g: UNREACHED,
                tag: L::Tag::default(),
            };
            self.nodes.resize(id_bound, blank);
        }
        if self.stamp == u16::MAX {
            let blank = L::Tag::default();
            self.nodes.iter_mut().for_each(|node| node.tag = blank);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    #[inline]
    fn reached(&self, cell: Cell) -> Option<(Cost, L)> {
        let node = self.nodes.get(cell.index())?;
        (L::stamp(node.tag) == self.stamp).then(|| (node.g, L::of(node.tag)))
    }

    fn memory_bytes(&self) -> usize {
        self.nodes.len() * Self::NODE_BYTES
    }
}

/// Memory allocated again for every search: what preallocation is measured against.
#[derive(Clone, Debug)]
pub struct Fresh<L: Link>(Stamped<L>);

impl<L: Link> Default for Fresh<L> {
    fn default() -> Fresh<L> {
        Fresh(Stamped::default())
    }
}

impl<L: Link> Paths<L> for Fresh<L> {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        self.0.improve(cell, g, link)
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        self.0.close(cell)
    }
}

impl<L: Link> NodeMemory for Fresh<L> {
    type Link = L;
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const NODE_BYTES: usize = size_of::<Node<L::Tag>>();

    fn begin(&mut self, id_bound: usize) {
        self.0 = Stamped::default();
        self.0.begin(id_bound);
    }

    #[inline]
    fn reached(&self, cell: Cell) -> Option<(Cost, L)> {
        self.0.reached(cell)
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

/// The textbook's memory: a hash map from node to what is known of it.
#[derive(Clone, Debug)]
pub struct Hashed<L: Link>(HashMap<Cell, Node<L::Tag>>);

impl<L: Link> Default for Hashed<L> {
    fn default() -> Hashed<L> {
        Hashed(HashMap::new())
    }
}

impl<L: Link> Paths<L> for Hashed<L> {
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        let better = Node {
            g,
            tag: link.open(0),
        };
        match self.0.get_mut(&cell) {
            Some(known) if known.g <= g => false,
            Some(known) => {
                *known = better;
                true
            }
            None => g != UNREACHED && self.0.insert(cell, better).is_none(),
        }
    }

    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        let node = self.0.get_mut(&cell)?;
        node.tag = L::close(node.tag)?;
        Some((node.g, L::of(node.tag)))
    }
}

impl<L: Link> NodeMemory for Hashed<L> {
    type Link = L;
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const NODE_BYTES: usize = size_of::<(Cell, Node<L::Tag>)>();

    fn begin(&mut self, _id_bound: usize) {
        self.0 = HashMap::new();
    }

    fn reached(&self, cell: Cell) -> Option<(Cost, L)> {
        self.0.get(&cell).map(|node| (node.g, L::of(node.tag)))
    }

    fn memory_bytes(&self) -> usize {
        self.0.capacity() * Self::NODE_BYTES
    }
}
