//! Backup: a copy of the embedded store, in the server's own folder.

use onced_proto::admin::v1;
use tonic::Status;

use super::super::{Service, backups::name_faults};
use crate::{
    status::{Denial, operator},
    violation::Violation,
    wire::time::timestamp,
};

/// Most bytes of a request's id.
const ID_MAX: usize = 64;

impl Service {
    pub(super) async fn backup(
        &self,
        request: v1::BackupRequest,
    ) -> Result<v1::BackupResponse, Status> {
        let mut violations = name_faults(&request.name);
        if request.request_id.len() > ID_MAX {
            let fault = format!("has {} bytes; at most {ID_MAX}", request.request_id.len());
            violations.push(Violation::new("", "request_id", fault));
        }
        if !violations.is_empty() {
            return Err(Denial::Malformed(violations).status());
        }
        let backups = self.backups.as_ref().ok_or_else(operator::no_backup)?;
        let made = backups.make(&request.name, &request.request_id).await;
        let made = made.map_err(|_| operator::backup_under_way())?;
        let (path, copy) = made.map_err(|error| operator::not_backed_up(&error))?;
        tracing::info!(path = %path.display(), records = copy.records, "backed up");
        Ok(v1::BackupResponse {
            path: path.display().to_string(),
            records_count: i64::try_from(copy.records).unwrap_or(i64::MAX),
            backup_time: Some(timestamp(copy.time)),
        })
    }
}
