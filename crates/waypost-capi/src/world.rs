//! The handle of a world.

use waypost::Navigator;

/// A world as one type of unit sees it. All functions on it may be called from any thread, also at the same time; paths see
/// changes at once, crowds at their next tick. Handles that come from one world (`waypost_nav_for_unit`, crowds) keep it alive
/// and may be freed in any order.
pub struct waypost_nav(pub(crate) Navigator);
