//! Leases that are mistaken for something else, or judged by nobody.

use std::num::NonZeroU32;

use onced::store::{Expected, Expiry, LeaseExpected, LeaseWrite, Write};

use super::Flaw;

/// The record goes with its lease.
pub struct LeaseIsRowLife;

/// The lease is kept for as long as the record would be.
pub struct LeaseIsRetention;

/// A write that is not about the lease ends it.
pub struct ClearedByAnnotation;

/// A write that is not about the lease starts it anew.
pub struct RestartedByAnnotation;

/// A write that asks for a lease that is live is applied on a dead one.
pub struct DeadLeaseRenewed;

/// A write that asks for a lease that is over is applied on a live one.
pub struct LiveLeaseTaken;

/// A lease can only grow.
pub struct NeverCleared;

/// A lease is cut short by a quarter, to be on the safe side.
pub struct CutShort;

impl Flaw for LeaseIsRowLife {
    fn spoiled(&self, write: &Write) -> Write {
        match write.lease {
            LeaseWrite::Start(lease) => Write { expiry: Expiry::After(lease), ..write.clone() },
            LeaseWrite::Keep | LeaseWrite::Clear => write.clone(),
        }
    }
}

impl Flaw for LeaseIsRetention {
    fn spoiled(&self, write: &Write) -> Write {
        started(write, |_| NonZeroU32::MIN.saturating_add(86_400))
    }
}

impl Flaw for ClearedByAnnotation {
    fn spoiled(&self, write: &Write) -> Write {
        kept_as(write, LeaseWrite::Clear)
    }
}

impl Flaw for RestartedByAnnotation {
    fn spoiled(&self, write: &Write) -> Write {
        kept_as(write, LeaseWrite::Start(NonZeroU32::MIN.saturating_add(9)))
    }
}

impl Flaw for DeadLeaseRenewed {
    fn spoiled(&self, write: &Write) -> Write {
        judged_on_any(write, LeaseExpected::Live)
    }
}

impl Flaw for LiveLeaseTaken {
    fn spoiled(&self, write: &Write) -> Write {
        judged_on_any(write, LeaseExpected::Over)
    }
}

impl Flaw for NeverCleared {
    fn spoiled(&self, write: &Write) -> Write {
        match write.lease {
            LeaseWrite::Clear => Write { lease: LeaseWrite::Keep, ..write.clone() },
            LeaseWrite::Keep | LeaseWrite::Start(_) => write.clone(),
        }
    }
}

impl Flaw for CutShort {
    fn spoiled(&self, write: &Write) -> Write {
        started(write, |lease| NonZeroU32::new(lease.get() - lease.get() / 4).unwrap_or(lease))
    }
}

fn started(write: &Write, length: impl Fn(NonZeroU32) -> NonZeroU32) -> Write {
    match write.lease {
        LeaseWrite::Start(lease) => {
            Write { lease: LeaseWrite::Start(length(lease)), ..write.clone() }
        }
        LeaseWrite::Keep | LeaseWrite::Clear => write.clone(),
    }
}

fn kept_as(write: &Write, lease: LeaseWrite) -> Write {
    match write.lease {
        LeaseWrite::Keep => Write { lease, ..write.clone() },
        LeaseWrite::Clear | LeaseWrite::Start(_) => write.clone(),
    }
}

fn judged_on_any(write: &Write, unguarded: LeaseExpected) -> Write {
    match write.expected {
        Expected::Revision { revision, lease } if lease == unguarded => Write {
            expected: Expected::Revision { revision, lease: LeaseExpected::Any },
            ..write.clone()
        },
        Expected::None | Expected::Revision { .. } => write.clone(),
    }
}
