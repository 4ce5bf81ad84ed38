//! What a case works with: a subject, a namespace of its own, and short words for the contract.

use std::{fmt::Debug, sync::Arc};

use uuid::Uuid;

use super::{Fault, Subject, sample};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Record,
    store::{Error, Look, Scope, Set, Store, Stored, Write},
};

/// The subject, in a namespace that nobody else uses.
pub(super) struct Bench {
    pub(super) store: Arc<dyn Store>,
    pub(super) replica: Arc<dyn Store>,
    pub(super) namespace: String,
    subject: Subject,
}

impl Bench {
    pub(super) fn new(subject: Subject) -> Self {
        Self {
            store: Arc::clone(&subject.store),
            replica: Arc::clone(&subject.replica),
            namespace: format!("conformance-{}", Uuid::new_v4().simple()),
            subject,
        }
    }

    /// The intent of this key, in operation `charge`.
    pub(super) fn intent(&self, key: &str) -> IntentId {
        self.intent_of("charge", key)
    }

    /// The intent of this key.
    pub(super) fn intent_of(&self, operation: &str, key: &str) -> IntentId {
        sample::intent(&self.namespace, operation, key)
    }

    /// A granted record of this intent, of about now.
    pub(super) fn record(&self, intent: &IntentId) -> Record {
        sample::record(intent, self.now())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.subject.passage.now()
    }

    pub(super) fn scope(&self, operation: Option<&str>) -> Scope {
        Scope { namespace: self.namespace.clone(), operation: operation.map(str::to_owned) }
    }

    /// Creates a record with this write, which must apply; the record.
    pub(super) async fn put(&self, intent: &IntentId, write: Write) -> Result<Record, Fault> {
        let set = self.store.compare_and_set(intent, &write).await?;
        same(&set, &Set::Applied, "the write applies")?;
        Ok(write.record)
    }

    pub(super) async fn set(&self, intent: &IntentId, write: &Write) -> Result<Set, Error> {
        self.store.compare_and_set(intent, write).await
    }

    /// What a fresh look shows.
    pub(super) async fn look(&self, intent: &IntentId) -> Result<Option<Stored>, Error> {
        self.store.load(intent, Look::Fresh).await
    }

    /// What a fresh look shows; there must be something.
    pub(super) async fn there(&self, intent: &IntentId) -> Result<Stored, Fault> {
        self.look(intent).await?.ok_or_else(|| Fault("there is no record".to_owned()))
    }

    pub(super) async fn pass(&self, seconds: u32) {
        self.subject.passage.pass(seconds).await;
    }

    /// Until shortly before something ends that was given `seconds`.
    pub(super) async fn pass_until_before(&self, seconds: u32) {
        self.pass(seconds - 1 - self.slack()).await;
    }

    /// From shortly before its end to shortly after.
    pub(super) async fn pass_the_end(&self) {
        self.pass(2 + 2 * self.slack()).await;
    }

    /// Until shortly after something has ended that was given `seconds`.
    pub(super) async fn pass_until_after(&self, seconds: u32) {
        self.pass(seconds + 1 + self.slack()).await;
    }

    /// A length that leaves room for the subject's slack.
    pub(super) fn length(&self) -> u32 {
        10 + 2 * self.slack()
    }

    fn slack(&self) -> u32 {
        self.subject.passage.slack_seconds()
    }
}

/// Both are the same.
pub(super) fn same<T: PartialEq + Debug>(got: &T, wanted: &T, what: &str) -> Result<(), Fault> {
    holds(got == wanted, || format!("{what}: got {got:?}, wanted {wanted:?}"))
}

/// It is so.
pub(super) fn holds(so: bool, otherwise: impl FnOnce() -> String) -> Result<(), Fault> {
    if so { Ok(()) } else { Err(Fault(otherwise())) }
}

/// The row that a write was lost to; it must be lost.
pub(super) fn lost(set: Set) -> Result<Option<Stored>, Fault> {
    match set {
        Set::Lost(row) => Ok(row),
        Set::Applied => Err(Fault("a write applied that must be lost".to_owned())),
    }
}

/// The row that a write was lost to; there must be one.
pub(super) fn lost_to_a_row(set: Set) -> Result<Stored, Fault> {
    lost(set)?.ok_or_else(|| Fault("the lost write carries no row".to_owned()))
}
