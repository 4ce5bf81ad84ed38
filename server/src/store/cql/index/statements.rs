//! The statements on the tables of the index, prepared once, and one on `claims` that reads.
//!
//! Every row is written and removed at a time that this replica names, so that a row is removed as
//! it was seen, and never one that was written since.

use std::sync::Arc;

use scylla::{
    client::session::Session, errors::PrepareError, statement::prepared::PreparedStatement,
};

use super::ROWS;

const PARTITION: &str = "namespace = ? AND operation = ? AND bucket = ? AND shard = ?";
const DAY: &str = "namespace = ? AND operation = ? AND day = ?";
const ENTRY: &str = "namespace = ? AND kind = ? AND operation = ?";
const NAME: &str = "namespace = ? AND name = ?";
const TOKEN: &str = "token(namespace, operation, key)";

/// All of them.
pub(super) struct Statements {
    pub(super) put_hint: PreparedStatement,
    pub(super) drop_hint: PreparedStatement,
    pub(super) drop_hints: PreparedStatement,
    pub(super) hints: PreparedStatement,
    pub(super) hints_after: PreparedStatement,
    pub(super) hint: PreparedStatement,
    pub(super) put_late: PreparedStatement,
    pub(super) drop_late: PreparedStatement,
    pub(super) late: PreparedStatement,
    pub(super) late_before: PreparedStatement,
    pub(super) put_entry: PreparedStatement,
    pub(super) drop_entry: PreparedStatement,
    pub(super) entries: PreparedStatement,
    pub(super) entries_of: PreparedStatement,
    pub(super) namespaces: PreparedStatement,
    pub(super) put_name: PreparedStatement,
    pub(super) drop_name: PreparedStatement,
    pub(super) named: PreparedStatement,
    pub(super) claims: PreparedStatement,
    pub(super) ring: PreparedStatement,
}

struct Preparing<'a> {
    session: &'a Arc<Session>,
    keyspace: &'a str,
}

impl Preparing<'_> {
    /// `{}` stands for the keyspace.
    async fn prepare(&self, text: &str) -> Result<PreparedStatement, PrepareError> {
        let mut statement = self.session.prepare(text.replace("{}", self.keyspace)).await?;
        statement.set_page_size(ROWS);
        Ok(statement)
    }

    async fn insert(
        &self,
        table: &str,
        columns: &str,
        using: &str,
    ) -> Result<PreparedStatement, PrepareError> {
        let values = vec!["?"; columns.split(',').count()].join(", ");
        let text = format!("INSERT INTO {{}}.{table} ({columns}) VALUES ({values}) USING {using}");
        self.prepare(&text).await
    }

    async fn delete(&self, table: &str, row: &str) -> Result<PreparedStatement, PrepareError> {
        self.prepare(&format!("DELETE FROM {{}}.{table} USING TIMESTAMP ? WHERE {row}")).await
    }

    async fn select(
        &self,
        columns: &str,
        table: &str,
        rows: &str,
    ) -> Result<PreparedStatement, PrepareError> {
        self.prepare(&format!("SELECT {columns} FROM {{}}.{table} WHERE {rows}")).await
    }
}

impl Statements {
    pub(super) async fn prepare(
        session: &Arc<Session>,
        keyspace: &str,
    ) -> Result<Self, PrepareError> {
        let on = Preparing { session, keyspace };
        let hint = format!("{PARTITION} AND first_claim = ? AND key = ?");
        let hints = format!("{PARTITION} AND first_claim >= ? AND first_claim < ?");
        let hints_after =
            format!("{PARTITION} AND (first_claim, key) > (?, ?) AND (first_claim, key) < (?, ?)");
        let late_before =
            format!("{DAY} AND (reported, key) < (?, ?) AND (reported, key) > (?, ?)");
        let claims = format!("{TOKEN} > ? AND {TOKEN} <= ?");
        let ring = format!("namespace, operation, key, revision, {TOKEN}");
        let seen = "first_claim, key, revision, written";
        Ok(Self {
            put_hint: on
                .insert(
                    "hints",
                    "namespace, operation, bucket, shard, first_claim, key, revision, written",
                    "TIMESTAMP ?",
                )
                .await?,
            drop_hint: on.delete("hints", &format!("{hint} AND revision = ?")).await?,
            drop_hints: on.delete("hints", PARTITION).await?,
            hints: on.select(seen, "hints", &hints).await?,
            hints_after: on
                .select("first_claim, key", "hints", &format!("{hints_after} LIMIT ?"))
                .await?,
            hint: on.select("revision", "hints", &format!("{hint} LIMIT 1")).await?,
            put_late: on
                .insert("late_reports", "namespace, operation, day, reported, key", "TIMESTAMP ?")
                .await?,
            drop_late: on
                .delete("late_reports", &format!("{DAY} AND reported = ? AND key = ?"))
                .await?,
            late: on.select("reported, key", "late_reports", DAY).await?,
            late_before: on
                .select("reported, key", "late_reports", &format!("{late_before} LIMIT ?"))
                .await?,
            put_entry: on
                .insert("buckets", "namespace, kind, operation, bucket", "TIMESTAMP ?")
                .await?,
            drop_entry: on.delete("buckets", &format!("{ENTRY} AND bucket = ?")).await?,
            entries: on
                .select("operation, bucket", "buckets", "namespace = ? AND kind = ?")
                .await?,
            entries_of: on.select("operation, bucket", "buckets", ENTRY).await?,
            namespaces: on.prepare("SELECT DISTINCT namespace FROM {}.buckets").await?,
            put_name: on
                .insert(
                    "intents_by_name",
                    "namespace, name, operation, key",
                    "TTL ? AND TIMESTAMP ?",
                )
                .await?,
            drop_name: on
                .delete("intents_by_name", &format!("{NAME} AND operation = ? AND key = ?"))
                .await?,
            named: on
                .select("operation, key", "intents_by_name", &format!("{NAME} LIMIT ?"))
                .await?,
            claims: on
                .select("namespace, operation, key, revision, TTL(revision)", "claims", &claims)
                .await?,
            ring: on.select(&ring, "claims", &format!("{TOKEN} > ? LIMIT ?")).await?,
        })
    }
}
