//! The calls as their callers see them, over gRPC.

mod batch;
mod claim;
mod drain;
mod evidence;
mod harness;
mod health;
mod identity;
mod late;
mod lease;
mod logs;
mod lost;
mod memory;
mod metrics;
mod overload;
mod payload;
mod policy;
mod reclaim;
mod refusals;
mod release;
mod replicas;
mod results;
mod violations;
mod watch;
