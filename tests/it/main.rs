//! One binary for all integration tests.

mod backup;
mod calls;
mod cluster;
mod conformance;
mod crash;
mod exit_codes;
mod files;
mod fixtures;
mod help;
mod histories;
mod latency;
mod migrate;
mod model;
mod moving;
mod race;
mod resend;
mod run;
mod tidy;
mod wire;
