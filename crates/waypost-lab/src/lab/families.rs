//! Families of methods: those that work in the same way have the same colour in plots.

/// How a method finds its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// An index built off-line answers.
    LookUp,
    /// A search for a whole path before the first move.
    WholePath,
    /// Local search whose values improve while the agent walks.
    Learning,
    /// One search spread over the moves.
    TimeSliced,
    /// Stored subgoals, and climbing between them.
    Subgoals,
    /// Planning on an abstraction of the map.
    Abstraction,
}

impl Family {
    /// All, in the order of their colours.
    pub const ALL: [Family; 6] = [
        Family::LookUp,
        Family::WholePath,
        Family::Learning,
        Family::TimeSliced,
        Family::Subgoals,
        Family::Abstraction,
    ];

    /// The family of a spec.
    pub fn of(spec: &str) -> Family {
        match spec.split(':').next().unwrap_or(spec) {
            "waypost" | "labels" | "cpd" | "tables" => Family::LookUp,
            "lrta" | "lss-lrta" | "rtaa" | "lrts" => Family::Learning,
            "tba" => Family::TimeSliced,
            "knn-lrta" | "knn-lrta-2009" | "d-lrta" | "hcdps" | "dba" => Family::Subgoals,
            "pra" | "quickpath" | "sectors" => Family::Abstraction,
            _ => Family::WholePath,
        }
    }

    /// For legends.
    pub fn name(self) -> &'static str {
        match self {
            Family::LookUp => "index, looked up",
            Family::WholePath => "search, then walk",
            Family::Learning => "learning on the way",
            Family::TimeSliced => "search in time slices",
            Family::Subgoals => "stored subgoals",
            Family::Abstraction => "abstraction of the map",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::spec::ALGORITHMS;

    #[test]
    fn every_family_has_members_and_whole_paths_are_those_of_searches() {
        let of = |family| {
            let members = ALGORITHMS
                .iter()
                .filter(move |a| Family::of(a.name) == family);
            members.map(|a| a.name).collect::<Vec<_>>()
        };
        for family in Family::ALL {
            assert!(!of(family).is_empty(), "{}", family.name());
        }
        assert_eq!(
            of(Family::WholePath),
            ["astar", "dijkstra", "jps", "jump-graph"]
        );
    }
}
