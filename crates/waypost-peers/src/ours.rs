//! Waypost's exact methods.

use crate::contender::{Builder, Contender};
use crate::queries::{Place, cell};
use waypost::search::{AStar, Dijkstra, PathSearch};
use waypost::{Cell, Map};

/// A search called directly.
struct Search<'a, R> {
    map: &'a Map,
    search: R,
    cells: Vec<Cell>,
}

impl<R: PathSearch<Map>> Contender for Search<'_, R> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        self.search
            .begin(self.map, cell(self.map, from), cell(self.map, to));
        self.search.advance(self.map, u64::MAX);
        let found = self.search.path_into(self.map, &mut self.cells).is_some();
        if found {
            path.extend(self.cells.iter().map(|&cell| {
                let point = self.map.grid().point(cell);
                (point.x, point.y)
            }));
        }
        found
    }
}

fn search<R: PathSearch<Map> + Default + 'static>(name: &str) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(|map| {
            Ok(Box::new(Search {
                map,
                search: R::default(),
                cells: Vec::new(),
            }))
        }),
    }
}

/// All of them.
pub fn builders() -> Vec<Builder> {
    vec![
        search::<AStar>("waypost astar"),
        search::<Dijkstra>("waypost dijkstra"),
    ]
}
