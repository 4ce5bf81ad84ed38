//! The cluster engine: ScyllaDB or Cassandra, through lightweight transactions.
//!
//! Every change of a record is one conditional write that names the revision it was judged on; what
//! is written plainly beside it (hints, names) only helps to find records again and decides nothing.

mod connect;
pub mod options;
mod routing;

pub use self::{connect::ConnectError, options::Options};
