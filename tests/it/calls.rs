//! The calls as their callers see them, over gRPC.

mod harness;
