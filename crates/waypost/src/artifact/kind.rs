//! Kinds of indexes, as files number them.

/// The kinds of index that there are. The number is the kind's number in artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum IndexKind {
    /// Solved problems compressed to subgoals, for kNN LRTA*.
    Subgoals = 1,
    /// Regions of the clique abstraction with the next region's entry state for every pair, for D LRTA*.
    Regions = 2,
    /// Compressed path databases.
    Cpd = 3,
    /// Differential and canonical heuristics.
    Landmarks = 4,
    /// The clique abstraction.
    Hierarchy = 5,
    /// The jump-point graph.
    Jump = 6,
    /// Hub labels on corners.
    Labels = 7,
    /// Sectors with next hops.
    Sectors = 8,
    /// Whichever of the others the chooser picked.
    Auto = 9,
    /// The next step and the distance for every pair of cells of a small map or of a zone.
    Tables = 10,
    /// Regions that climbing crosses, with subgoals between neighbours and the next region for every pair, for HCDPS.
    ClimbRegions = 11,
}

impl IndexKind {
    /// All kinds.
    pub const ALL: [IndexKind; 11] = [
        IndexKind::Subgoals,
        IndexKind::Regions,
        IndexKind::Cpd,
        IndexKind::Landmarks,
        IndexKind::Hierarchy,
        IndexKind::Jump,
        IndexKind::Labels,
        IndexKind::Sectors,
        IndexKind::Auto,
        IndexKind::Tables,
        IndexKind::ClimbRegions,
    ];

    /// The name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            IndexKind::Subgoals => "subgoals",
            IndexKind::Regions => "regions",
            IndexKind::Cpd => "cpd",
            IndexKind::Landmarks => "landmarks",
            IndexKind::Hierarchy => "hierarchy",
            IndexKind::Jump => "jump",
            IndexKind::Labels => "labels",
            IndexKind::Sectors => "sectors",
            IndexKind::Auto => "auto",
            IndexKind::Tables => "tables",
            IndexKind::ClimbRegions => "climb-regions",
        }
    }

    /// Does it rest on jump points or corners? They are defined where moves go eight ways and cost the same everywhere.
    pub(crate) const fn needs_uniform_moves(self) -> bool {
        matches!(self, IndexKind::Jump | IndexKind::Labels)
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<IndexKind> {
        IndexKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind with this number.
    pub fn from_number(number: u32) -> Option<IndexKind> {
        IndexKind::ALL
            .into_iter()
            .find(|&kind| kind as u32 == number)
    }
}
