//! The wire of onced: messages and services generated from `proto/`, and their descriptor set.
//!
//! Nothing here is written by hand, and nothing here decides.
#![allow(missing_docs, clippy::all, clippy::pedantic, reason = "generated code")]

/// The descriptor set of all packages, for reflection and JSON.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));

pub mod onced {
    pub mod v1 {
        tonic::include_proto!("onced.v1");
    }
    pub mod provider {
        pub mod v1 {
            tonic::include_proto!("onced.provider.v1");
        }
    }
    pub mod admin {
        pub mod v1 {
            tonic::include_proto!("onced.admin.v1");
        }
    }
    pub mod store {
        pub mod v1 {
            tonic::include_proto!("onced.store.v1");
        }
    }
}

pub use self::onced::{admin, provider, store, v1};
