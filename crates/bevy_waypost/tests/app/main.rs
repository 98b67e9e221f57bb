//! Headless apps: what the plugin promises, over thousands of frames.

mod asking;
mod assets;
mod background;
mod covering;
#[cfg(feature = "gizmos")]
mod drawing;
mod examples;
mod following;
mod goals;
mod in_place;
mod levels;
mod long;
mod reflection;
mod reloading;
mod reproducible;
mod rock;
mod stage;
mod steps;
mod told;
mod types;
mod walkers;
mod world;
mod written;

#[global_allocator]
static ALLOCATOR: waypost_testkit::allocations::Counting = waypost_testkit::allocations::Counting;
