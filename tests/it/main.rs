//! One binary for all integration tests.

mod calls;
mod tidy;
mod wire;
