//! Independent oracle and path checker.
