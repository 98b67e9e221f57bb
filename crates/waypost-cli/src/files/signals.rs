//! The signals that end programs: unfinished files are removed, then the program ends as it would have.

use super::temporary::remove_all_and;
use std::sync::Once;

/// Watches from the first call on.
pub fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(start);
}

#[cfg(unix)]
fn start() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    let ignored = ignored_signals();
    // `nohup` and shells that run jobs in the background have signals ignored, and that must stay. Where it cannot be
    // known, a hang-up is left alone.
    let heard = |signal: &i32| match ignored {
        Some(mask) => mask >> (signal - 1) & 1 == 0,
        None => *signal != SIGHUP,
    };
    let wanted: Vec<i32> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(heard)
        .collect();
    // A system that gives no handlers ends the program as ever; the next run removes what it leaves.
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    let _ = std::thread::Builder::new()
        .name("signals".to_string())
        .spawn(move || {
            for signal in signals.forever() {
                remove_all_and(|| {
                    let _ = emulate_default_handler(signal);
                });
            }
        });
}

/// One bit a signal, from 1 on, as Linux tells it.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(not(unix))]
fn start() {}
