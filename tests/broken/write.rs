//! Writes that are applied although they must not be, or are answered falsely.

use std::{sync::Arc, time::Duration};

use onced::{
    intent::IntentId,
    record::{Record, State},
    store::{Answer, Error, Expected, LeaseExpected, Look, Set, Store, Stored, Write},
};
use tokio::sync::Mutex;

use super::Flaw;

/// Looks, and then writes whatever stands there by then.
pub struct CheckThenAct;

/// The same, under a lock that only its own process knows.
#[derive(Default)]
pub struct InProcessLock(Mutex<()>);

/// Writes on a newer revision than the one that was judged.
pub struct RevisionIgnored;

/// A create takes a released record for none.
pub struct ReleasedTakenForNone;

/// Says to which row a write was lost, and leaves its result out.
pub struct LostWithoutResult;

/// Says that a write was lost, and not to what.
pub struct LostWithoutRow;

/// Answers a write before it is applied.
pub struct AnsweredBeforeCommit;

/// Keeps names in lower case.
pub struct CaseFolded;

/// Cuts blanks off.
pub struct Trimmed;

/// Cuts long keys.
pub struct KeyCut;

/// Makes one name of three.
pub struct NamesJoined;

impl Flaw for CheckThenAct {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(check_then_act(&**whole, intent, write))
    }
}

impl Flaw for InProcessLock {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            let _lock = self.0.lock().await;
            check_then_act(&**whole, intent, write).await
        })
    }
}

impl Flaw for RevisionIgnored {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            match whole.compare_and_set(intent, write).await? {
                Set::Lost(Some(row)) if write.expected != Expected::None => {
                    let expected = anew(write.expected, &row.record);
                    whole.compare_and_set(intent, &Write { expected, ..write.clone() }).await
                }
                answer => Ok(answer),
            }
        })
    }
}

impl Flaw for ReleasedTakenForNone {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            match whole.compare_and_set(intent, write).await? {
                Set::Lost(Some(row))
                    if write.expected == Expected::None && row.record.state == State::Released =>
                {
                    force(&**whole, intent, write).await
                }
                answer => Ok(answer),
            }
        })
    }
}

impl Flaw for LostWithoutResult {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            match whole.compare_and_set(intent, write).await? {
                Set::Lost(Some(row)) => Ok(Set::Lost(Some(Stored { result: None, ..row }))),
                answer => Ok(answer),
            }
        })
    }
}

impl Flaw for LostWithoutRow {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            match whole.compare_and_set(intent, write).await? {
                Set::Lost(_) => Ok(Set::Lost(None)),
                Set::Applied => Ok(Set::Applied),
            }
        })
    }
}

impl Flaw for AnsweredBeforeCommit {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            let (whole, intent, write) = (Arc::clone(whole), intent.clone(), write.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                whole.compare_and_set(&intent, &write).await
            });
            Ok(Set::Applied)
        })
    }
}

impl Flaw for CaseFolded {
    fn renamed(&self, intent: &IntentId) -> IntentId {
        with_key(intent, intent.key().to_lowercase())
    }
}

impl Flaw for Trimmed {
    fn renamed(&self, intent: &IntentId) -> IntentId {
        with_key(intent, intent.key().trim().to_owned())
    }
}

impl Flaw for KeyCut {
    fn renamed(&self, intent: &IntentId) -> IntentId {
        with_key(intent, intent.key().chars().take(127).collect())
    }
}

impl Flaw for NamesJoined {
    fn renamed(&self, intent: &IntentId) -> IntentId {
        let joined = format!("{}{}", intent.operation(), intent.key());
        IntentId::new("intent", intent.namespace(), "joined", joined).expect("valid names")
    }
}

fn with_key(intent: &IntentId, key: String) -> IntentId {
    IntentId::new("intent", intent.namespace(), intent.operation(), key).expect("valid names")
}

async fn check_then_act(whole: &dyn Store, intent: &IntentId, write: &Write) -> Result<Set, Error> {
    let standing = whole.load(intent, Look::Fresh).await?;
    let revision = standing.as_ref().map(|stored| stored.record.revision);
    let as_judged = match write.expected {
        Expected::None => standing.is_none(),
        Expected::Revision { revision: judged, lease } => {
            revision == Some(judged)
                && match lease {
                    LeaseExpected::Any => true,
                    LeaseExpected::Live => standing.as_ref().is_some_and(|row| row.lease.is_live()),
                    LeaseExpected::Over => {
                        standing.as_ref().is_some_and(|row| !row.lease.is_live())
                    }
                }
        }
    };
    if as_judged { force(whole, intent, write).await } else { Ok(Set::Lost(standing)) }
}

/// Writes whatever stands there.
async fn force(whole: &dyn Store, intent: &IntentId, write: &Write) -> Result<Set, Error> {
    let mut expected = write.expected;
    loop {
        let forced = Write { expected, ..write.clone() };
        match whole.compare_and_set(intent, &forced).await? {
            Set::Applied => return Ok(Set::Applied),
            Set::Lost(None) => expected = Expected::None,
            Set::Lost(Some(row)) => {
                let revision = row.record.revision;
                expected = Expected::Revision { revision, lease: LeaseExpected::Any };
            }
        }
    }
}

fn anew(expected: Expected, standing: &Record) -> Expected {
    match expected {
        Expected::None => Expected::None,
        Expected::Revision { lease, .. } => {
            Expected::Revision { revision: standing.revision, lease }
        }
    }
}
