//! Which partitions there are to read.

use std::collections::BTreeMap;

use futures_util::TryStreamExt;

use super::{Bucket, Index, Kind};
use crate::store::{Error, Scope};

/// The buckets in ascending order, each with its operations.
pub(super) type Buckets = BTreeMap<Bucket, Vec<String>>;

impl Index {
    /// The buckets of a scope.
    pub(super) async fn buckets(&self, scope: &Scope, kind: Kind) -> Result<Buckets, Error> {
        let (namespace, kind) = (&scope.namespace, kind.text());
        let rows = match &scope.operation {
            Some(operation) => {
                self.collect(&self.statements.entries_of, (namespace, kind, operation)).await?
            }
            None => self.collect(&self.statements.entries, (namespace, kind)).await?,
        };
        let mut buckets = Buckets::new();
        for (operation, bucket) in rows {
            buckets.entry(Bucket(bucket)).or_default().push(operation);
        }
        Ok(buckets)
    }

    async fn collect(
        &self,
        statement: &scylla::statement::prepared::PreparedStatement,
        values: impl scylla::serialize::row::SerializeRow,
    ) -> Result<Vec<(String, i64)>, Error> {
        self.stream::<(String, i64)>(statement, values).await?.try_collect().await
    }

    /// Every namespace that has a bucket.
    pub(super) async fn namespaces(&self) -> Result<Vec<String>, Error> {
        let rows = self.stream::<(String,)>(&self.statements.namespaces, ()).await?;
        rows.map_ok(|(namespace,)| namespace).try_collect().await
    }
}
