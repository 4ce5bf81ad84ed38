//! One binary for all integration tests.

mod calls;
mod conformance;
mod crash;
mod exit_codes;
mod files;
mod fixtures;
mod histories;
mod latency;
mod migrate;
mod model;
mod race;
mod resend;
mod run;
mod tidy;
mod wire;
