//! Which region each cell of a map is in, as runs of cells along the rows: for every index that cuts a map into regions.
//!
//! A run is a column and a region, each in as few bits as it needs. Regions are tens to thousands of cells large, so this
//! takes a part of a bit to a few bits a cell.

use super::packed::{Packed, bits_below, pack};
use crate::artifact::{Array, Artifact, ArtifactError, ArtifactWriter};
use crate::grid::Cell;
use crate::map::Map;

/// What stands for no region while a map is cut up.
pub(super) const NO_REGION: u32 = u32::MAX;

/// Where the parts lie in an artifact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    pub row_starts: u32,
    pub columns: u32,
    pub regions: u32,
}

/// The regions of a map's cells. Walls belong to the run before them.
#[derive(Clone, Debug)]
pub(super) struct CellRegions {
    /// The first run of each row, and at the end the number of runs.
    row_starts: Array<u32>,
    columns: Packed,
    regions: Packed,
}

impl CellRegions {
    /// Of a map whose cells are in the regions that `region` says, numbers below `count`.
    pub fn new(
        map: &Map,
        count: usize,
        region: impl Fn(Cell) -> u32,
    ) -> Result<CellRegions, ArtifactError> {
        let runs = find_runs(map, region);
        let width = u64::from(map.grid().width());
        let columns = pack(runs.columns.iter().copied(), width);
        let regions = pack(runs.regions.iter().copied(), count as u64);
        let length = runs.columns.len();
        Ok(CellRegions {
            row_starts: Array::from_slice(&runs.row_starts),
            columns: Packed::new(Array::from_slice(&columns), length, width)?,
            regions: Packed::new(Array::from_slice(&regions), length, count as u64)?,
        })
    }

    /// Reads and checks them: every look-up stays inside and gives a number below `count`, or 0 in a row without runs.
    pub fn open(
        artifact: &Artifact,
        tags: Tags,
        map: &Map,
        count: usize,
    ) -> Result<CellRegions, ArtifactError> {
        let row_starts = artifact.section::<u32>(tags.row_starts)?;
        // No more runs than cells: numbers of no bits take no room in a file, however many it says there are.
        let most = map.grid().width();
        let rows_fit = row_starts.len() == map.grid().height() as usize + 1
            && row_starts.first() == Some(&0)
            && row_starts
                .windows(2)
                .all(|w| w[0] <= w[1] && w[1] - w[0] <= most);
        if !rows_fit {
            let what = "rows of regions do not fit the map";
            return Err(ArtifactError::malformed(what));
        }
        let runs = row_starts.last().copied().unwrap_or(0) as usize;
        let width = u64::from(map.grid().width());
        let regions = Packed::new(artifact.section(tags.regions)?, runs, count as u64)?;
        if !(0..runs).all(|run| (regions.get(run) as usize) < count) {
            return Err(ArtifactError::malformed("cells of regions that are not"));
        }
        Ok(CellRegions {
            columns: Packed::new(artifact.section(tags.columns)?, runs, width)?,
            row_starts,
            regions,
        })
    }

    /// Adds them to an artifact.
    pub fn write<'a>(&'a self, writer: ArtifactWriter<'a>, tags: Tags) -> ArtifactWriter<'a> {
        writer
            .section(tags.row_starts, &self.row_starts)
            .section(tags.columns, &self.columns.words)
            .section(tags.regions, &self.regions.words)
    }

    /// The region of a cell that was passable when this was made, and how many runs were looked at.
    #[inline]
    pub fn of(&self, map: &Map, cell: Cell) -> (u32, u32) {
        let point = map.grid().point(cell);
        let row = point.y as usize;
        let (mut low, mut high) = (self.row_starts[row], self.row_starts[row + 1]);
        let mut looks = 1;
        if low == high {
            // A row of walls when this was built: any region will do, and 0 is the first, if there are any.
            return (0, looks);
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            looks += 1;
            if self.columns.get(middle as usize) <= point.x {
                low = middle;
            } else {
                high = middle;
            }
        }
        (self.regions.get(low as usize), looks)
    }

    /// No look-up takes more looks than this.
    pub fn most_looks(&self) -> u64 {
        let widest = self.row_starts.windows(2).map(|w| w[1] - w[0]).max();
        u64::from(bits_below(u64::from(widest.unwrap_or(0)) + 1)) + 1
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        (self.columns.words.len() + self.regions.words.len()) * 8 + self.row_starts.len() * 4
    }
}

/// Where runs begin and which regions they are of.
#[derive(Default)]
struct Runs {
    row_starts: Vec<u32>,
    columns: Vec<u32>,
    regions: Vec<u32>,
}

fn find_runs(map: &Map, region: impl Fn(Cell) -> u32) -> Runs {
    let mut runs = Runs::default();
    let mut row = 0;
    let mut last = NO_REGION;
    for cell in map.grid().cells() {
        let point = map.grid().point(cell);
        while runs.row_starts.len() <= point.y as usize {
            runs.row_starts.push(runs.columns.len() as u32);
        }
        let number = region(cell);
        if point.y != row || number != last {
            // The first run of a row begins at its left edge, so that every column is in a run.
            let opens_row = runs.row_starts[point.y as usize] as usize == runs.columns.len();
            runs.columns.push(if opens_row { 0 } else { point.x });
            runs.regions.push(number);
        }
        row = point.y;
        last = number;
    }
    while runs.row_starts.len() <= map.grid().height() as usize {
        runs.row_starts.push(runs.columns.len() as u32);
    }
    runs
}
