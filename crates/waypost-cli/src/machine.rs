//! What reports say of the machine and the program. Nothing that names a person, a host or a folder.

/// The version and, where they are known, the commit and its day.
pub fn program() -> String {
    match commit() {
        "" => format!("waypost {}", env!("CARGO_PKG_VERSION")),
        commit => format!(
            "waypost {} ({commit} of {})",
            env!("CARGO_PKG_VERSION"),
            env!("WAYPOST_DAY")
        ),
    }
}

/// The commit that the program was built from; empty where it is not known.
pub fn commit() -> &'static str {
    env!("WAYPOST_COMMIT")
}

/// Processor, cores, system.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    format!(
        "{}, {cores} {}, {} {}",
        processor().unwrap_or_else(|| "unknown processor".to_string()),
        if cores == 1 { "core" } else { "cores" },
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}
