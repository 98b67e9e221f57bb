//! The closed and open nodes of a time-sliced search, in pages.
//!
//! A search that lives for a whole walk cannot share its arrays with other agents, and an array over all cells for each agent
//! would be 120 MB on a map of 10 million. So nodes lie in pages of [`PAGE`] consecutive ids that are taken into use
//! when the search first comes there; a directory of eight bytes a page finds them. Nothing is hashed, nothing is copied
//! when it grows, and a new search forgets the last one in constant time (its pages are older than the search).

use super::segments::{SEGMENT, Segments};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::search::nodes::{NodeMemory, Paths};
use bytemuck::Zeroable;

/// Ids of a page: few, since a page is a piece of one row and searches spread over many rows.
pub const PAGE: usize = 64;

/// The way to a node: its parent and how many edges it is from the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLink {
    /// The node before it; [`Cell::NONE`] for the root.
    pub parent: Cell,
    /// Edges from the root.
    pub depth: u32,
}

/// Node ids must be below this: the parent's highest bit says whether the node is closed.
pub(crate) const MAX_IDS: usize = (1 << 31) - 1;
const CLOSED: u32 = 1 << 31;
const NO_PARENT: u32 = CLOSED - 1;

/// Segments are made zeroed and untouched; the nodes of a page are blanked when it is taken.
#[derive(Clone, Copy, Debug, Zeroable)]
struct Node {
    g: Cost,
    /// The parent's id, or [`NO_PARENT`]; the highest bit says closed.
    parent: u32,
    depth: u32,
}

const BLANK: Node = Node {
    g: UNREACHED,
    parent: NO_PARENT,
    depth: 0,
};

#[derive(Clone, Copy, Debug, Default)]
struct PageEntry {
    /// The search that took the page.
    search: u32,
    page: u32,
}

/// Node memory in pages. Closed nodes are never reopened: their parents are final, and an agent may stand on them.
#[derive(Clone, Debug, Default)]
pub struct PagedNodes {
    directory: Vec<PageEntry>,
    nodes: Segments<Node>,
    pages: u32,
    search: u32,
    reached: usize,
}

impl PagedNodes {
    /// Makes room for a space, and for nodes up to `most_bytes` ahead of their use.
    pub fn reserve(&mut self, id_bound: usize, most_bytes: usize) {
        let pages = id_bound.div_ceil(PAGE);
        if self.directory.len() < pages {
            self.directory.resize(pages, PageEntry::default());
        }
        self.nodes.expect(pages * PAGE);
        let wanted = (pages * PAGE).min(most_bytes / size_of::<Node>());
        self.nodes.reserve(wanted);
    }

    /// Nodes that the search has reached: its open and closed lists together.
    pub(crate) fn reached_count(&self) -> usize {
        self.reached
    }

    #[inline]
    fn page_of(&self, cell: Cell) -> Option<usize> {
        let entry = self.directory.get(cell.index() / PAGE)?;
        (entry.search == self.search).then_some(entry.page as usize * PAGE)
    }

    #[inline]
    fn find(&self, cell: Cell) -> Option<Node> {
        let page = self.page_of(cell)?;
        Some(self.nodes.get(page + cell.index() % PAGE)).filter(|node| node.g != UNREACHED)
    }

    /// Takes a page into use for the ids around a cell.
    #[cold]
    fn take_page(&mut self, cell: Cell) -> usize {
        let first = self.pages as usize * PAGE;
        self.nodes.reserve(first + PAGE);
        self.nodes.part(first, PAGE).fill(BLANK);
        self.directory[cell.index() / PAGE] = PageEntry {
            search: self.search,
            page: self.pages,
        };
        self.pages += 1;
        first
    }
}

const _: () = assert!(SEGMENT.is_multiple_of(PAGE));

impl Paths<TreeLink> for PagedNodes {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: TreeLink) -> bool {
        let page = match self.page_of(cell) {
            Some(page) => page,
            None => self.take_page(cell),
        };
        let node = self.nodes.entry(page + cell.index() % PAGE);
        if g >= node.g || node.parent & CLOSED != 0 {
            return false;
        }
        self.reached += usize::from(node.g == UNREACHED);
        *node = Node {
            g,
            parent: link.parent.0.min(NO_PARENT),
            depth: link.depth,
        };
        true
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, TreeLink)> {
        let page = self.page_of(cell)?;
        let node = self.nodes.entry(page + cell.index() % PAGE);
        if node.parent & CLOSED != 0 {
            return None;
        }
        node.parent |= CLOSED;
        Some((node.g, link_of(node)))
    }
}

impl NodeMemory for PagedNodes {
    type Link = TreeLink;
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const NODE_BYTES: usize = size_of::<Node>();

    fn begin(&mut self, id_bound: usize) {
        self.reserve(id_bound, 0);
        if self.search == u32::MAX {
            self.directory.fill(PageEntry::default());
            self.search = 0;
        }
        self.search += 1;
        self.pages = 0;
        self.reached = 0;
    }

    #[inline]
    fn reached(&self, cell: Cell) -> Option<(Cost, TreeLink)> {
        self.find(cell).map(|node| (node.g, link_of(&node)))
    }

    fn memory_bytes(&self) -> usize {
        self.nodes.memory_bytes() + self.directory.capacity() * size_of::<PageEntry>()
    }
}

#[inline]
fn link_of(node: &Node) -> TreeLink {
    let parent = node.parent & !CLOSED;
    TreeLink {
        parent: if parent == NO_PARENT {
            Cell::NONE
        } else {
            Cell(parent)
        },
        depth: node.depth,
    }
}
