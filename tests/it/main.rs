//! One binary for all integration tests.

mod calls;
mod conformance;
mod model;
mod race;
mod resend;
mod tidy;
mod wire;
