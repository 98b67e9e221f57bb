//! Experiments on Waypost.
