//! Whether the agents of a run fit into memory, asked before it is taken.

use super::CrowdRunError;
use waypost::crowd::AnyCrowd;

/// Agents that are placed before the others are measured by them.
pub const PROBED: usize = 1000;
/// Bytes that watching an agent takes: where it stood and stands, its handle.
const WATCHING: u64 = 64;

/// Refuses more agents than the memory that is free holds, by what the first ones take.
pub fn check(crowd: &dyn AnyCrowd, placed: usize, agents: usize) -> Result<(), CrowdRunError> {
    let Some(available) = available_bytes() else {
        return Ok(());
    };
    let each = (crowd.memory().walkers as u64).div_ceil(placed.max(1) as u64) + WATCHING;
    let needed = each.saturating_mul((agents - placed) as u64);
    if placed < PROBED || needed <= available {
        return Ok(());
    }
    Err(CrowdRunError::NoMemory {
        agents,
        needed,
        available,
    })
}

/// What programs may still take without swapping, where the system tells it.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
