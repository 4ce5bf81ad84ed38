//! What must hold: of every ruling, every write, every answer and every state.
//!
//! Looks at the row, at the provider and at what was answered, never at how the core came to its
//! ruling.

use onced::{
    record::{AttemptEnd, Outcome, Record, ReportKind, ResultKind, SPENT_FOR, Standing, State},
    ruling::{Ruling, Verdict, standing},
    store::{Expected, LeaseExpected, LeaseWrite, Stored},
};

use super::{
    invariant::{Broken, Invariant},
    message::{Kind, Message, Told, claimant},
    rules::Rules,
    world::{Effect, Kept, Look, Remembered, World},
};

pub(super) fn is_succeeded(record: &Record) -> bool {
    matches!(record.settlement(), Some(settled) if matches!(settled.outcome, Outcome::Succeeded(_)))
}

fn is_failed(record: &Record) -> bool {
    record.settlement().is_some() && !is_succeeded(record)
}

/// A ruling, before anything is done with it.
pub(super) fn ruling(
    rules: &Rules,
    world: &World,
    message: Message,
    ruling: &Ruling,
) -> Result<(), Broken> {
    shows_token_to_its_own(rules, world, message, &ruling.verdict)?;
    let Some(write) = &ruling.write else { return Ok(()) };
    let fits = match (write.expected, world.stored()) {
        (Expected::None, None) => true,
        (Expected::Revision { revision, lease }, Some(stored)) => {
            let moves_lease = write.lease != LeaseWrite::Keep;
            revision == stored.record.revision && !(moves_lease && lease == LeaseExpected::Any)
        }
        _ => false,
    };
    rules.must(
        fits,
        Invariant::JudgedIsWrittenOn,
        "a write names another row than the one judged",
    )?;
    let fresh = world.stored().is_none_or(|stored| stored.record.revision != write.record.revision);
    rules.must(fresh, Invariant::JudgedIsWrittenOn, "a write keeps the revision")
}

fn shows_token_to_its_own(
    rules: &Rules,
    world: &World,
    message: Message,
    verdict: &Verdict,
) -> Result<(), Broken> {
    let token = match verdict {
        Verdict::InProgress { own_token } => *own_token,
        Verdict::Unknown(unknown) => unknown.own_token,
        _ => None,
    };
    let Some(token) = token else { return Ok(()) };
    let grants = world.stored().map(|stored| &stored.record.grants);
    let owner = grants.and_then(|grants| grants.iter().find(|grant| grant.token == token));
    let own = owner.is_some_and(|grant| grant.claimant == Some(claimant(message.actor)));
    rules.must(own, Invariant::TokenIsOwn, "a token was shown to another claimant than its own")
}

/// A write that was applied.
pub(super) struct Written<'a> {
    pub message: Message,
    /// The provider surely deduplicated when it was ruled.
    pub deduplicated: bool,
    /// What stood there.
    pub before: Option<&'a Stored>,
}

/// A write, just after it was applied.
pub(super) fn write(rules: &Rules, world: &World, written: &Written<'_>) -> Result<(), Broken> {
    let Written { message, before, .. } = *written;
    let Some(after) = world.stored() else { return Ok(()) };
    judged(rules, world, message, before)?;
    let told = world.told[message.index()].is_some_and(|told| told != Told::Other);
    let again = told && message.is_report() && message.kind != Kind::Unknown;
    rules.must(
        !again,
        Invariant::CopyMovesNothing,
        "a report that had its answer was written again",
    )?;
    let granted = before.map_or(0, |before| before.record.grants.len());
    if after.record.grants.len() > granted && after.record.state == State::Claimed {
        grant(rules, world, written, after)?;
    }
    let Some(before) = before else { return Ok(()) };
    own_attempt(rules, world, written, before, after)?;
    outcome_stays(rules, message, &before.record, &after.record)
}

/// Who decides on what she saw decides on that very record.
fn judged(
    rules: &Rules,
    world: &World,
    message: Message,
    before: Option<&Stored>,
) -> Result<(), Broken> {
    let is_judgement = matches!(message.kind, Kind::Resolve | Kind::ResolveFailed | Kind::Reclaim);
    let Look::Provider { revision, marked, .. } = message.look(world) else { return Ok(()) };
    let Some(before) = before.filter(|_| is_judgement) else { return Ok(()) };
    let seen = revision == before.record.revision;
    rules.must(
        seen,
        Invariant::JudgedIsWrittenOn,
        "a judgement was written on a record not judged",
    )?;
    let unresolved = matches!(standing(before), Standing::Over | Standing::Unknown);
    let ripe = marked || !(unresolved || message.kind == Kind::Reclaim);
    rules.must(
        ripe,
        Invariant::EvidenceIsRipe,
        "evidence counted though the record was seen too early",
    )
}

fn grant(
    rules: &Rules,
    world: &World,
    written: &Written<'_>,
    after: &Stored,
) -> Result<(), Broken> {
    let Written { message, deduplicated, before } = *written;
    let was_live = before.is_some_and(|before| before.lease.is_live());
    rules.must(!was_live, Invariant::OneLiveGrant, "granted over a live lease")?;
    let mut seen: Vec<_> = Vec::new();
    for grant in &after.record.grants {
        let first = !seen.contains(&grant.claimant);
        rules.must(first, Invariant::OneClaimantOneGrant, "a claimant stands in two grants")?;
        seen.push(grant.claimant);
    }
    let taken_back = world.executions[usize::from(message.actor)].taken_back;
    let spent = taken_back.is_some_and(|time| world.now.since(time) < SPENT_FOR);
    rules.must(
        !spent,
        Invariant::TakenBackIsNotGranted,
        "a claimant was granted after it gave up",
    )?;
    let success = world.executions.iter().any(|execution| execution.success == Kept::Yes)
        || before.is_some_and(|before| is_succeeded(&before.record));
    let over = !success || deduplicated;
    rules.must(over, Invariant::NoGrantOverSuccess, "granted though a success is on file")?;
    takeover(rules, world, written)
}

fn takeover(rules: &Rules, world: &World, written: &Written<'_>) -> Result<(), Broken> {
    let Written { message, deduplicated, before } = *written;
    let unresolved =
        before.is_some_and(|before| matches!(standing(before), Standing::Over | Standing::Unknown));
    if !unresolved {
        return Ok(());
    }
    let by_policy = deduplicated && rules.policy.reclaim_on_expiry;
    let silent = message.kind == Kind::Claim && !by_policy;
    rules.must(
        !silent,
        Invariant::NoSilentGrant,
        "a Claim was granted on an unresolved attempt",
    )?;
    let evidence = matches!(message.look(world), Look::Provider { applied: false, .. });
    rules.must(
        deduplicated || evidence,
        Invariant::NoTakeoverWithoutEvidence,
        "an unresolved attempt was taken over without evidence",
    )
}

/// A holder's "it did not happen" speaks for its own attempt only.
fn own_attempt(
    rules: &Rules,
    world: &World,
    written: &Written<'_>,
    before: &Stored,
    after: &Stored,
) -> Result<(), Broken> {
    let message = written.message;
    let holders = matches!(message.kind, Kind::Release | Kind::Failed | Kind::TakeBack);
    let moved = before.record.state != after.record.state;
    if !holders || !moved {
        return Ok(());
    }
    let current = before.record.token();
    let doubt = before
        .record
        .grants
        .iter()
        .any(|grant| Some(grant.token) != current && grant.end == AttemptEnd::Unresolved);
    let refused = world.executions[usize::from(message.actor)].effect == Effect::Refused
        && written.deduplicated;
    let released = after.record.state == State::Released && doubt;
    let failed = is_failed(&after.record) && doubt && !after.record.disputed && !refused;
    rules.must(
        !released && !failed,
        Invariant::OwnAttemptOnly,
        "a later attempt's word cleared an earlier one whose fate is open",
    )
}

fn outcome_stays(
    rules: &Rules,
    message: Message,
    before: &Record,
    after: &Record,
) -> Result<(), Broken> {
    let judge = matches!(message.kind, Kind::Resolve | Kind::ResolveFailed);
    let (Some(was), false) = (before.settlement(), judge) else { return Ok(()) };
    let same = match (&was.outcome, after.settlement().map(|settlement| &settlement.outcome)) {
        (Outcome::Succeeded(was), Some(Outcome::Succeeded(is))) => {
            was == is || was.result == ResultKind::NeverKnown
        }
        (Outcome::Failed(was), Some(Outcome::Failed(is))) => was == is,
        _ => false,
    };
    rules.must(same, Invariant::OutcomeStays, "a recorded outcome was changed without a judge")
}

/// An answer, before it is sent.
pub(super) fn answer(
    rules: &Rules,
    world: &World,
    message: Message,
    verdict: &Verdict,
) -> Result<(), Broken> {
    let told = Told::of(verdict);
    let first = world.told[message.index()].filter(|first| *first != Told::Other);
    let same = first.is_none_or(|first| first == told);
    rules.must(same, Invariant::SameAnswer, "a call sent again was given another answer")?;
    if message.is_judges() {
        return Ok(());
    }
    let execution = &world.executions[usize::from(message.actor)];
    let released = world.stored().is_some_and(|stored| {
        stored.record.state == State::Released && stored.record.token() == execution.token
    });
    let kept = !(message.kind == Kind::Unknown && told == Told::Reported && released);
    rules.must(
        kept,
        Invariant::UnknownIsKept,
        "unknown was reported, and the intent stayed free",
    )?;
    let lost = message.kind == Kind::Succeeded && told == Told::Other;
    rules.must(!lost, Invariant::NoEvidenceLost, "a reported success was refused and not kept")?;
    let Verdict::Granted(granted) = verdict else { return Ok(()) };
    let same = execution.granted.is_none_or(|first| first == (granted.token, granted.attempt));
    rules.must(same, Invariant::SameAnswer, "a Claim sent again was given another grant")?;
    rules.must(
        !(granted.repeated && execution.used),
        Invariant::NoRepeatAfterUse,
        "a grant was repeated after its token was used",
    )
}

/// A state, once nothing is half done.
pub(super) fn state(rules: &Rules, world: &World) -> Result<(), Broken> {
    if rules.honest_holders {
        holders(rules, world)?;
    }
    if let Some(stored) = world.stored() {
        record(rules, stored)?;
        evidence(rules, world, &stored.record)?;
        if rules.is_honest() {
            truth(rules, world, &stored.record)?;
        }
    }
    let once = world.provider.applied <= 1 || !rules.is_honest();
    rules.must(once, Invariant::EffectAtMostOnce, "the provider applied the effect twice")
}

/// A holder that has spoken acts no more; a careless one does, and only the store's lease counts.
fn holders(rules: &Rules, world: &World) -> Result<(), Broken> {
    let acting = || world.executions.iter().filter(|e| e.right && world.now < e.deadline);
    rules.must(acting().count() <= 1, Invariant::OneLiveGrant, "two holders may act at once")?;
    let covered = acting().all(|execution| {
        world.row.as_ref().is_some_and(|row| {
            row.stored.record.token() != execution.token || row.lease_end >= execution.deadline
        })
    });
    rules.must(covered, Invariant::PromiseIsShorterThanLease, "a holder was promised too much")
}

fn record(rules: &Rules, stored: &Stored) -> Result<(), Broken> {
    let record = &stored.record;
    let open = matches!(record.state, State::Claimed | State::Unknown(_))
        || record.is_contested()
        || record.disputed;
    rules.must(
        !(open && stored.expires_in.is_some()),
        Invariant::OpenDoesNotExpire,
        "an open, contested or disputed record expires",
    )?;
    let Some(settlement) = record.settlement() else { return Ok(()) };
    let Outcome::Succeeded(success) = &settlement.outcome else { return Ok(()) };
    let kept = stored.result.as_ref().map(|bytes| bytes.len() as u64);
    let whole = match &success.result {
        ResultKind::Given(info) => kept == Some(info.length),
        _ => kept.is_none(),
    };
    rules.must(
        whole,
        Invariant::ResultIsWhole,
        "the stored result is not the one that was reported",
    )
}

/// Every success that was answered is on file.
fn evidence(rules: &Rules, world: &World, record: &Record) -> Result<(), Broken> {
    let on_file = |token| {
        record.reports.iter().any(|report| {
            Some(report.token) == token && report.said.kind() == ReportKind::Succeeded
        })
    };
    let kept = world
        .executions
        .iter()
        .all(|execution| execution.success == Kept::No || on_file(execution.token));
    rules.must(kept, Invariant::NoEvidenceLost, "a success that was answered is not on file")
}

/// What the record says is so.
fn truth(rules: &Rules, world: &World, record: &Record) -> Result<(), Broken> {
    let applied = world.provider.applied > 0;
    let refused = world.provider.remembers == Remembered::Refused;
    let to_come = world.executions.iter().any(|execution| match execution.effect {
        Effect::InFlight => !refused,
        Effect::NotSent => execution.right && world.now < execution.deadline,
        Effect::Applied | Effect::Refused | Effect::Vanished => false,
    });
    let surely_not = record.state == State::Released && !record.grants.is_empty()
        || is_failed(record) && !record.disputed;
    rules.must(
        !(surely_not && (applied || to_come)),
        Invariant::RecordIsTrue,
        "the record says that it did not happen, and it did or still may",
    )?;
    let claimed = is_succeeded(record) && !applied;
    rules.must(
        !claimed,
        Invariant::RecordIsTrue,
        "the record says that it happened, and it did not",
    )
}
