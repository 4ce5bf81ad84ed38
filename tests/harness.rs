//! Servers, calls, and answers taken apart. A test says only what matters to it; all else has a
//! default.

pub mod answer;
pub mod binary;
pub mod calls;
pub mod cluster;
pub mod cql_proxy;
pub mod engine;
pub mod gate;
pub mod in_process;
pub mod nodes;
pub mod page;
pub mod proxy;
pub mod request;
pub mod scoped;
pub mod site;

pub use self::{
    answer::{Refusal, RulingExt},
    binary::Binary,
    calls::Calls,
    cql_proxy::{CqlProxy, Fate},
    engine::{Engine, Ground},
    gate::{Gate, Rule},
    in_process::{InProcess, Setup},
    nodes::Nodes,
    proxy::Proxy,
    site::{Replica, Site},
};
