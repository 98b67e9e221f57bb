//! The playground: a local server and a page on which people watch pathfinding at work (`waypost play`).
//!
//! A connection is a tab, and every tab has its own world (`sandbox`): a thread that ticks its crowd at the speed asked for,
//! whether or not the page keeps up. What takes long is done beside it: searches, layers and traces by a second thread on a fork of
//! the world (`study`), indexes by a third while they are built, tiles of the map by whoever is free (`tiles`). Page and server
//! talk in binary WebSocket frames ([`protocol`]); the page, its scripts and its style are in the program ([`assets`]).
//!
//! **Invariant:** no request names a path on the server's disk, and none goes to another host. The map given on the command line is
//! read before the server listens.
//!
//! **Invariant:** what a connection can hold of the machine is counted ([`limits`]) and given back when its thread ends.

mod announced;
pub mod assets;
mod connection;
mod guard;
pub mod limits;
mod outbox;
pub mod protocol;
mod reporter;
mod sandbox;
pub mod server;
mod shared;
pub mod snippets;
pub mod source;
mod strokes;
mod study;
mod tiles;
mod walkers;

pub use limits::Limits;
pub use server::{Options, Server};
