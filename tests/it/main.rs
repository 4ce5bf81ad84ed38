//! One binary for all integration tests.

mod calls;
mod conformance;
mod model;
mod tidy;
mod wire;
