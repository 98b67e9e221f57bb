//! How a map is built, and the crowds on it.

use crate::NavProfile;
use waypost::navigator::CrowdOptions;

/// How a map is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapOptions {
    pub profiles: Vec<NavProfile>,
    pub exclusive: bool,
    pub lockstep: bool,
    pub max_bytes: Option<u64>,
}

/// The options of a crowd of walkers so large.
pub(crate) fn crowd_options(options: &MapOptions, size: u32) -> CrowdOptions {
    CrowdOptions {
        exclusive: options.exclusive && size == 1,
        lockstep: options.lockstep,
        ..CrowdOptions::default()
    }
}
