//! What can have become wrong in a space that has changed.

/// What can have become wrong since somebody looked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Walls went up and nothing else: costs are lower bounds still, and a way that is free is as good as it was.
    Walls,
    /// Cells opened, or nobody remembers what happened.
    Openings,
}
