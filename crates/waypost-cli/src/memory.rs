//! Whether the build of a large map fits into memory, said and asked before it is taken.

use anyhow::{Result, bail};
use waypost::Map;
use waypost::index::{IndexKind, IndexRequest};
use waypost_lab::table::{bytes, grouped};

/// Below this many passable cells nobody is bothered.
const LARGE: u64 = 10_000_000;

/// Says how much memory building may take on a large map, and refuses what does not fit into what is free.
pub fn announce(map: &Map, request: &IndexRequest) -> Result<()> {
    let cells = map.grid().passable_count();
    let given = |key: &str| request.parameters.get(key)?.parse::<u64>().ok();
    let Some(most) = most_bytes(request.kind, cells, given("max-bytes")) else {
        return Ok(());
    };
    let available = available_bytes();
    let free = available.map_or(String::new(), |free| format!("; {} are free", bytes(free)));
    crate::report::note(&format!(
        "building `{}` of {} cells may take {} of memory{free}",
        request.kind.name(),
        grouped(cells as i64),
        bytes(most)
    ));
    refuse(request.kind, most, available)
}

/// What building takes at most, the map and the bytes of the file included, where that is known beforehand
/// (`docs/measurements/large-maps.md`).
fn most_bytes(kind: IndexKind, cells: u64, max_bytes: Option<u64>) -> Option<u64> {
    if cells < LARGE {
        return None;
    }
    let map = 3 * cells;
    match kind {
        // The labels themselves, lists that grow, and the file.
        IndexKind::Auto => Some(map + 2 * max_bytes.unwrap_or(16 * cells)),
        IndexKind::Labels => Some(map + 2 * max_bytes.unwrap_or(1 << 27)),
        IndexKind::Hierarchy => Some(map + 65 * cells),
        _ => None,
    }
}

fn refuse(kind: IndexKind, most: u64, available: Option<u64>) -> Result<()> {
    let Some(available) = available.filter(|available| *available < most) else {
        return Ok(());
    };
    let remedy = match kind {
        IndexKind::Auto => "allow less (--max-bytes), or build `sectors`",
        IndexKind::Labels => "allow less (--max-bytes)",
        _ => "build `sectors`, or take a machine with more",
    };
    bail!(
        "building `{}` may take {} of memory, and {} are free; {remedy}",
        kind.name(),
        bytes(most),
        bytes(available)
    );
}

/// What programs may still take without swapping, where the system tells it.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_builds_say_what_they_take_and_are_refused_with_a_remedy() {
        assert_eq!(most_bytes(IndexKind::Auto, 9_999_999, None), None);
        assert_eq!(most_bytes(IndexKind::Sectors, 100_000_000, None), None);
        let most = most_bytes(IndexKind::Auto, 100_000_000, None).expect("large");
        assert_eq!(most, 3_500_000_000);
        let less = most_bytes(IndexKind::Auto, 100_000_000, Some(400_000_000)).expect("large");
        assert_eq!(less, 1_100_000_000);
        assert!(refuse(IndexKind::Auto, most, Some(most)).is_ok());
        assert!(refuse(IndexKind::Auto, most, None).is_ok());
        let error = refuse(IndexKind::Auto, most, Some(2_000_000_000)).expect_err("too much");
        assert_eq!(
            error.to_string(),
            "building `auto` may take 3.5 GB of memory, and 2.0 GB are free; allow less (--max-bytes), or build `sectors`"
        );
    }
}
