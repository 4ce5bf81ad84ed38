//! One request under way: what it needs to know, and what came of its writes so far.
//!
//! Asks nothing of the store.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use uuid::Uuid;

use super::{Ask, Error, Past};
use crate::{
    intent::{Identity, ProviderKeyForm},
    ruling::{Given, Request},
    store::{self, Look, Stored},
};

/// One request under way.
pub(super) struct Case<'a> {
    pub(super) ask: &'a Ask,
    pub(super) identity: Identity,
    pub(super) past: Past,
    /// A write was or may have been applied, and its ruling is not answered.
    pub(super) doubt: &'a AtomicBool,
}

impl Case<'_> {
    /// The key for the provider, in the policy's form.
    pub(super) fn provider_key(&self) -> String {
        let policy = self.ask.policy.as_deref();
        let form = policy.map_or(ProviderKeyForm::Text, |policy| policy.provider_key);
        self.identity.provider_key(form)
    }

    /// What it is ruled with, under a revision that nobody else has.
    pub(super) fn given<'a>(&'a self, provider_key: &'a str, clock_bound: Duration) -> Given<'a> {
        Given {
            policy: self.ask.policy.as_deref(),
            memory: &self.past.memory,
            forgotten_since: self.past.forgotten_since,
            revision: Uuid::new_v4(),
            provider_key,
            clock_bound,
        }
    }

    /// Whether what another caller learns serves it: it is about the key, and its writes are rare.
    pub(super) fn shares(&self) -> bool {
        matches!(self.ask.request, Request::Claim(_) | Request::Get(_))
    }

    /// Whether it is the Claim that the current grant went to.
    pub(super) fn holds_lease_of(&self, stored: Option<&Stored>) -> bool {
        let current = stored.and_then(|stored| stored.record.current());
        match &self.ask.request {
            Request::Claim(claim) => current.is_some_and(|it| it.claimant == Some(claim.claimant)),
            _ => false,
        }
    }

    /// Once a write was or may have been applied, nothing that fails afterwards undoes it.
    pub(super) fn in_doubt(&self, error: Error) -> Error {
        match error {
            Error::Store(store::Error::Unavailable(_) | store::Error::Contended)
            | Error::Deadline
                if self.doubt.load(Ordering::SeqCst) =>
            {
                store::Error::Uncertain("it was written, and not seen again".to_owned()).into()
            }
            error => error,
        }
    }

    /// What is written names the revision that was seen, and what is refused is looked at again: a
    /// plain look serves whoever is mostly told what is settled, or mostly writes.
    pub(super) fn first_look(&self) -> Look {
        match self.ask.request {
            Request::Claim(_) | Request::Complete(_) | Request::Renew(_) | Request::Release(_) => {
                Look::Recent
            }
            Request::Get(_) | Request::Reclaim(_) | Request::Resolve(_) => Look::Fresh,
        }
    }
}
