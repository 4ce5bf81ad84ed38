//! One binary for all integration tests.

mod calls;
mod conformance;
mod crash;
mod histories;
mod latency;
mod model;
mod race;
mod resend;
mod tidy;
mod wire;
