//! The store contract: what an engine does, and the three ways in which it can fail to.
//!
//! Engines hold no policy. A write says on which record it was judged; an engine applies it on
//! exactly that record or not at all. The store's own clock judges leases, at the moment of the
//! write.

use std::{future::Future, num::NonZeroU32, pin::Pin, time::Duration};

use bytes::Bytes;

use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{Record, Revision},
};

pub mod conformance;
pub mod cql;
pub mod embedded;
mod held;

/// A future that can be sent, of a store that is chosen at start.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an engine answers.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// One engine. Every method may be called from many tasks at once; keys never wait for each other
/// beyond a shared commit.
pub trait Store: Send + Sync + 'static {
    /// The record of `intent`, if it has one that has not expired.
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>>;

    /// Writes if the record is still the one that was judged; else answers the one that stands
    /// there.
    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set>;

    /// Exactly the records whose expiry is never, oldest first claim first, without results.
    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing>;

    /// Records with a late report at or after `since`, newest report first, without results.
    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing>;

    /// The intents of a namespace that the provider's side points to, at most 100, without results.
    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>>;

    /// Whether an operation has an intent without an outcome.
    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool>;

    /// How far back the store remembers an operation; nothing before its first use.
    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>>;

    /// Sets the memory if it is still the `expected` one; answers the one that then stands.
    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory>;

    /// Every record that has not expired, of one namespace or of all, with its result and its
    /// lives, in an order of the engine's own that stays as it is. A page may hold fewer than are
    /// left, or none, and still have a next one. A record that is written meanwhile is shown as it
    /// was or as it is; one that is made or goes meanwhile may be shown or not.
    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing>;

    /// How far back every operation is remembered, of one namespace or of all.
    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>>;

    /// By how much clocks that judge leases may differ from the ruling's: zero where there is but
    /// one.
    fn clock_bound(&self) -> Duration;

    /// Whether other processes write to the same records: their writes are heard of by looks alone.
    fn is_shared(&self) -> bool {
        false
    }

    /// What keeps the engine from taking new intents, as far as it knows without a look. Asks
    /// nobody, waits for nothing.
    fn trouble(&self) -> Option<Trouble> {
        None
    }
}

/// What keeps an engine from taking new intents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// A commit failed: nothing is taken until the engine is opened again.
    #[error("the store has stopped: a commit failed")]
    Stopped,
    /// Claims are refused, reports are taken.
    #[error("the disk is full up to its reserve: Claims are refused, reports are taken")]
    DiskReserve,
    /// This replica's clock and the store's differ by more than tokens and memory allow for.
    #[error(
        "the clock is {} s off the store's: Claims are refused, reports are taken",
        by.as_secs()
    )]
    ClockOff {
        /// How much, at least.
        by: Duration,
    },
    /// Nothing of it answers.
    #[error("the store cannot be reached")]
    Unreachable,
}

impl Trouble {
    /// Whether no lease may start while it lasts: what a clock this wrong says would be granted on.
    pub fn bars_leases(self) -> bool {
        match self {
            Self::ClockOff { .. } => true,
            Self::Stopped | Self::DiskReserve | Self::Unreachable => false,
        }
    }
}

/// How fresh a look must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// May miss a write that is under way.
    Recent,
    /// Linearizable: a refusal rests on it.
    Fresh,
}

/// A record and what the store alone knows about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The record.
    pub record: Record,
    /// The bytes of its result, while they are kept.
    pub result: Option<Bytes>,
    /// Its lease, on the store's clock, at the moment of the look.
    pub lease: Lease,
    /// When the record expires; never if absent.
    pub expires_in: Option<Duration>,
    /// When the result expires; never if absent.
    pub result_expires_in: Option<Duration>,
}

/// A lease on the store's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Held for this much longer.
    Live {
        /// What is left of it to promise; an engine may hold it for longer, with nothing left.
        left: Duration,
    },
    /// Ended, cleared, or never given.
    Over,
}

impl Lease {
    /// Whether it is held.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Live { .. })
    }
}

/// A conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// On what it was judged.
    pub expected: Expected,
    /// The record to stand, under a revision of its own.
    pub record: Record,
    /// What becomes of the result.
    pub result: ResultWrite,
    /// What becomes of the lease.
    pub lease: LeaseWrite,
    /// When the record expires.
    pub expiry: Expiry,
    /// When the result expires.
    pub result_expiry: Expiry,
}

impl Write {
    /// The row after this write was applied on `before`.
    #[must_use]
    pub fn applied_on(&self, before: Option<&Stored>) -> Stored {
        let span = |expiry, kept: Option<Duration>| match expiry {
            Expiry::Never => None,
            Expiry::Keep => kept,
            Expiry::After(seconds) => Some(whole(seconds)),
        };
        Stored {
            record: self.record.clone(),
            result: match &self.result {
                ResultWrite::Keep => before.and_then(|before| before.result.clone()),
                ResultWrite::Clear => None,
                ResultWrite::Set(bytes) => Some(bytes.clone()),
            },
            lease: match self.lease {
                LeaseWrite::Keep => before.map_or(Lease::Over, |before| before.lease),
                LeaseWrite::Clear => Lease::Over,
                LeaseWrite::Start(seconds) => Lease::Live { left: whole(seconds) },
            },
            expires_in: span(self.expiry, before.and_then(|before| before.expires_in)),
            result_expires_in: span(
                self.result_expiry,
                before.and_then(|before| before.result_expires_in),
            ),
        }
    }
}

fn whole(seconds: NonZeroU32) -> Duration {
    Duration::from_secs(u64::from(seconds.get()))
}

/// The record that a write was judged on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// None, or one that has expired.
    None,
    /// This very one.
    Revision {
        /// Which.
        revision: Revision,
        /// With its lease so.
        lease: LeaseExpected,
    },
}

/// How the lease must stand when a write is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseExpected {
    /// Either way.
    Any,
    /// Still held.
    Live,
    /// Not held.
    Over,
}

/// What becomes of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultWrite {
    /// It stays.
    Keep,
    /// There is none.
    Clear,
    /// These bytes.
    Set(Bytes),
}

/// What becomes of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseWrite {
    /// It stays.
    Keep,
    /// It ends.
    Clear,
    /// It runs for whole seconds from the moment of the write.
    Start(NonZeroU32),
}

/// When something expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Not at all.
    Never,
    /// As before.
    Keep,
    /// So many seconds after the write.
    After(NonZeroU32),
}

/// What came of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "the lost row is the point of it")]
pub enum Set {
    /// It stands.
    Applied,
    /// It does not; this stands instead.
    Lost(Option<Stored>),
}

/// Whose records to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Whose.
    pub namespace: String,
    /// Of which operation; all if absent.
    pub operation: Option<String>,
}

/// Which part of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Goes on after this; empty at the start. Made by the engine.
    pub cursor: Vec<u8>,
    /// How many at most.
    pub size: usize,
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The records.
    pub found: Vec<(IntentId, Stored)>,
    /// To go on from here; absent on the last page.
    pub next: Option<Vec<u8>>,
}

/// By what the provider's side names an intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Find {
    /// The key that was forwarded, in either form.
    ProviderKey(String),
    /// The provider's own id.
    ProviderReference(String),
}

/// How far back the store remembers an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Fresh with every write.
    pub revision: Revision,
    /// Its first use, or the restore of a backup.
    pub start: Timestamp,
    /// The smallest retention that was in force since.
    pub smallest_retention: Duration,
    /// A backup was restored (or the store was moved): `start` is not the first use.
    pub restored: bool,
    /// Nobody has accepted yet that keys without a record are fresh.
    pub gap: bool,
}

/// A memory, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Whose.
    pub namespace: String,
    /// Of which operation.
    pub operation: String,
    /// How far back.
    pub memory: Memory,
}

/// How a store can fail. Anything else is an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Surely nothing happened: try again.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// It may have been applied: ask again with the same bytes.
    #[error("the store does not say whether it wrote: {0}")]
    Uncertain(String),
    /// Surely nothing happened: too many writers on this key.
    #[error("too many writers on this key")]
    Contended,
    /// The record cannot be read. Never taken for none.
    #[error("the record cannot be read: {0}")]
    Corrupt(String),
    /// The record was written by a newer version.
    #[error("the record has format {0}, newer than this server's")]
    FormatTooNew(u32),
}
