//! One binary for all integration tests.

mod model;
mod tidy;
mod wire;
