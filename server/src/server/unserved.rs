//! Services that are promised and not served yet: every call answers UNIMPLEMENTED.

use onced_proto::v1::reconciliation_service_server::ReconciliationService;

/// Serves nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unserved;

impl ReconciliationService for Unserved {}
