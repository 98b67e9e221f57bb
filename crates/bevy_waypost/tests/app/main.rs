//! Headless apps: what the plugin promises, over thousands of frames.

mod assets;
mod background;
#[cfg(feature = "gizmos")]
mod drawing;
mod examples;
mod goals;
mod long;
mod reflection;
mod reproducible;
mod stage;
mod walkers;
mod world;

#[global_allocator]
static ALLOCATOR: waypost_testkit::allocations::Counting = waypost_testkit::allocations::Counting;
