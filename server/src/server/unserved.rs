//! Services that are promised and not served yet: every call answers UNIMPLEMENTED.

use onced_proto::{
    admin::v1::admin_service_server::AdminService,
    v1::reconciliation_service_server::ReconciliationService,
};

/// Serves nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unserved;

impl ReconciliationService for Unserved {}

impl AdminService for Unserved {}
