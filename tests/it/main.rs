//! One binary for all integration tests.

mod calls;
mod model;
mod tidy;
mod wire;
