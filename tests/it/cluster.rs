//! What must hold over a real cluster while callers contend, answers get lost, nodes stop and die,
//! and servers come and go.
//!
//! Short forms run on the cluster that the tests were given, where `ONCED_TEST_ENGINE=cluster`
//! chooses it (`Site::given` leaves them out elsewhere), and never touch its nodes: what happens to
//! them happens on the way. Full forms start three nodes of their own, and are part of
//! `make prove`.

mod contention;
mod cost;
mod doubt;
mod formats;
mod load;
mod lost_nodes;
mod outage;
mod overtaken;
mod programs;
mod succession;
mod uniqueness;
