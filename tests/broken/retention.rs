//! Retention that is cut short, forgotten, or never ends.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex},
};

use onced::{
    intent::IntentId,
    store::{Answer, Expected, Expiry, Look, Set, Store, Stored, Write},
};

use super::{Flaw, locked};

/// Records go at half of their time.
pub struct CutShort;

/// Records stay for ever.
pub struct NeverExpires;

/// What expires starts anew with every write.
pub struct RestartedByAnnotation;

/// What expires stays for ever once it is written again.
pub struct ForgottenByAnnotation;

/// A record that must not expire does, in the end.
pub struct NeverIsLong;

/// What was there once is there still, whatever its expiry.
#[derive(Default)]
pub struct ExpiredIsPresent(Mutex<HashMap<IntentId, Stored>>);

/// What has expired stands in the way of a create until it is swept.
#[derive(Default)]
pub struct ExpiredBlocksCreate(Mutex<HashMap<IntentId, u32>>);

impl Flaw for CutShort {
    fn spoiled(&self, write: &Write) -> Write {
        match write.expiry {
            Expiry::After(seconds) => {
                let half = NonZeroU32::new(seconds.get() / 2).unwrap_or(seconds);
                Write { expiry: Expiry::After(half), ..write.clone() }
            }
            Expiry::Never | Expiry::Keep => write.clone(),
        }
    }
}

impl Flaw for NeverExpires {
    fn spoiled(&self, write: &Write) -> Write {
        Write { expiry: Expiry::Never, ..write.clone() }
    }
}

impl Flaw for RestartedByAnnotation {
    fn spoiled(&self, write: &Write) -> Write {
        kept_as(write, Expiry::After(NonZeroU32::MIN.saturating_add(9)))
    }
}

impl Flaw for ForgottenByAnnotation {
    fn spoiled(&self, write: &Write) -> Write {
        kept_as(write, Expiry::Never)
    }
}

impl Flaw for NeverIsLong {
    fn spoiled(&self, write: &Write) -> Write {
        match write.expiry {
            Expiry::Never => {
                let month = NonZeroU32::MIN.saturating_add(30 * 86_400);
                Write { expiry: Expiry::After(month), ..write.clone() }
            }
            Expiry::Keep | Expiry::After(_) => write.clone(),
        }
    }
}

impl Flaw for ExpiredIsPresent {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = whole.load(intent, look).await?;
            let mut seen = locked(&self.0);
            if let Some(stored) = stored {
                seen.insert(intent.clone(), stored);
            }
            Ok(seen.get(intent).cloned())
        })
    }
}

impl Flaw for ExpiredBlocksCreate {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            let known = locked(&self.0).contains_key(intent);
            let standing = whole.load(intent, Look::Fresh).await?;
            if write.expected == Expected::None && known && standing.is_none() {
                return Ok(Set::Lost(None));
            }
            locked(&self.0).insert(intent.clone(), 1);
            whole.compare_and_set(intent, write).await
        })
    }
}

fn kept_as(write: &Write, expiry: Expiry) -> Write {
    match write.expiry {
        Expiry::Keep => Write { expiry, ..write.clone() },
        Expiry::Never | Expiry::After(_) => write.clone(),
    }
}
