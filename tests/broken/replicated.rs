//! No flaws: a whole engine that answers as one does that several replicas share.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use onced::{
    intent::IntentId,
    store::{Answer, Lease, LeaseWrite, Look, Set, Store, Stored, Trouble, Write},
};

use super::Flaw;

/// Shared; a lease is held for a margin of whole seconds longer than it is told to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replicated {
    /// How many seconds.
    pub margin: u32,
}

/// A store whose clock is not that of its server.
#[derive(Clone, Copy, Debug)]
pub struct ClockOff {
    /// How much.
    pub by: Duration,
}

impl Replicated {
    fn held_longer(self, write: &Write) -> Write {
        let longer = |seconds: NonZeroU32| seconds.saturating_add(self.margin);
        let lease = match write.lease {
            LeaseWrite::Start(seconds) => LeaseWrite::Start(longer(seconds)),
            kept => kept,
        };
        Write { lease, ..write.clone() }
    }

    fn told(self, stored: Stored) -> Stored {
        let margin = Duration::from_secs(self.margin.into());
        let lease = match stored.lease {
            Lease::Live { left } => Lease::Live { left: left.saturating_sub(margin) },
            Lease::Over => Lease::Over,
        };
        Stored { lease, ..stored }
    }
}

impl Flaw for Replicated {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = whole.load(intent, look).await?;
            Ok(stored.map(|stored| self.told(stored)))
        })
    }

    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            Ok(match whole.compare_and_set(intent, &self.held_longer(write)).await? {
                Set::Applied => Set::Applied,
                Set::Lost(row) => Set::Lost(row.map(|row| self.told(row))),
            })
        })
    }

    fn is_shared(&self, _: &dyn Store) -> bool {
        true
    }
}

impl Flaw for ClockOff {
    fn trouble(&self, _: &dyn Store) -> Option<Trouble> {
        Some(Trouble::ClockOff { by: self.by })
    }
}
