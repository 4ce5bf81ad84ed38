//! Complete: this is what became of it.
//!
//! A report is stored with the answer it got; sent again it gets that answer and writes nothing. It
//! speaks for its own attempt only.

use super::{
    Complete, Given, Refusal, Reported, ReportedSuccess, Ruling, Verdict,
    draft::{
        annotate, earlier_report, end_current, failure_digest, note_report, revise, settle,
        settlement, success, success_digest, unsettle,
    },
    look::{
        Token, check_hash, deduplicates, earlier_unresolved, fenced, foreign_token, present,
        standing, terms, token,
    },
};
use crate::{
    clock::Timestamp,
    record::{
        Answer, AttemptEnd, EffectClass, Failure, FencingToken, Outcome, Record, Report,
        ReportKind, ResultKind, Said, Source, Standing, State, UnknownCause,
    },
    store::{Expiry, ResultWrite, Stored, Write},
};

mod unseen;

pub(super) fn rule(
    stored: Option<&Stored>,
    complete: &Complete,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(present) = present(stored) else {
        return unseen::orphan(stored, complete, given, now);
    };
    let record = &present.record;
    let hash = complete.payload.as_ref().map(|payload| check_hash(record, payload));
    let named = token(record, complete.token, given.memory.gap);
    if let (Token::Current, Some(Err(refusal))) = (named, &hash) {
        return Ruling::refuse(refusal.clone());
    }
    let report = NewReport::of(complete);
    if let Some(earlier) = report.stored_in(record)
        && !frees_too_much(record, named, report.kind())
    {
        return repeat(present, earlier);
    }
    let right_hash = !matches!(hash, Some(Err(_)));
    match named {
        Token::Current => current(present, &report, given, now),
        Token::Earlier => earlier(present, &report, right_hash, given, now),
        Token::Lost if hash == Some(Ok(())) => unseen::lost(present, &report, given, now),
        Token::Forgotten => Ruling::refuse(fenced(record, false)),
        Token::Lost | Token::Foreign => Ruling::refuse(foreign_token()),
    }
}

/// A report as it comes in.
struct NewReport<'a> {
    token: FencingToken,
    outcome: &'a Reported,
    digest: [u8; 32],
}

impl<'a> NewReport<'a> {
    fn of(complete: &'a Complete) -> Self {
        let digest = match &complete.outcome {
            Reported::Succeeded(success) => success_digest(success),
            Reported::Failed(failure) => failure_digest(failure),
            Reported::Unknown => [0; 32],
        };
        Self { token: complete.token, outcome: &complete.outcome, digest }
    }

    fn kind(&self) -> ReportKind {
        self.said().kind()
    }

    fn said(&self) -> Said {
        match self.outcome {
            Reported::Succeeded(reported) => Said::Succeeded(success(reported, Source::Holder).0),
            Reported::Failed(failure) => Said::Failed(Failure { detail: None, ..failure.clone() }),
            Reported::Unknown => Said::Unknown,
        }
    }

    fn stored_in<'r>(&self, record: &'r Record) -> Option<&'r Report> {
        earlier_report(record, self.token, self.kind(), &self.digest)
    }

    /// Stores it with its answer, once.
    fn note(&self, record: &mut Record, answer: Answer) {
        if self.stored_in(record).is_none() {
            note_report(record, self.token, self.said(), self.digest, answer);
        }
    }
}

/// "I do not know" always takes a release back: a copy of it may not be the older one.
fn frees_too_much(record: &Record, named: Token, kind: ReportKind) -> bool {
    named == Token::Current && kind == ReportKind::Unknown && record.state == State::Released
}

fn repeat(stored: &Stored, report: &Report) -> Ruling {
    match report.answer {
        Answer::Recorded { late } => Ruling::answer(Verdict::Reported { repeated: true, late }),
        Answer::Conflict => Ruling::refuse(conflict(stored)),
        Answer::Fenced => Ruling::refuse(fenced(&stored.record, true)),
    }
}

fn conflict(stored: &Stored) -> Refusal {
    Refusal::OutcomeConflict { recorded: standing(stored) }
}

fn reported(write: Write, late: bool) -> Ruling {
    Ruling::after(write, Verdict::Reported { repeated: false, late })
}

/// The current token: its holder speaks.
fn current(stored: &Stored, report: &NewReport<'_>, given: &Given<'_>, now: Timestamp) -> Ruling {
    match standing(stored) {
        Standing::Live | Standing::Over | Standing::Unknown => {
            unsettled(stored, report, given, now)
        }
        Standing::Released => released(stored, report, given, now),
        Standing::Succeeded => succeeded(stored, report, given, now),
        Standing::Failed => failed(stored, report, given, now),
    }
}

fn unsettled(stored: &Stored, report: &NewReport<'_>, given: &Given<'_>, now: Timestamp) -> Ruling {
    match report.outcome {
        Reported::Succeeded(success) => record_success(stored, report, success, given, now),
        Reported::Failed(failure) => record_failure(stored, report, failure, given, now),
        Reported::Unknown => record_unknown(stored, report, given, now),
    }
}

/// Said to be released. A success is taken all the same; a failure contradicts.
fn released(stored: &Stored, report: &NewReport<'_>, given: &Given<'_>, now: Timestamp) -> Ruling {
    match report.outcome {
        Reported::Failed(_) if !stored.record.is_contested() => {
            keep_conflict(stored, report, false, given, now)
        }
        Reported::Succeeded(_) | Reported::Failed(_) | Reported::Unknown => {
            unsettled(stored, report, given, now)
        }
    }
}

fn succeeded(stored: &Stored, report: &NewReport<'_>, given: &Given<'_>, now: Timestamp) -> Ruling {
    match report.outcome {
        Reported::Succeeded(success) if never_known(&stored.record) => {
            fill_in(stored, report, success, given, now)
        }
        Reported::Succeeded(_) | Reported::Failed(_) => {
            keep_conflict(stored, report, false, given, now)
        }
        Reported::Unknown => Ruling::answer(Verdict::Reported { repeated: false, late: true }),
    }
}

fn failed(stored: &Stored, report: &NewReport<'_>, given: &Given<'_>, now: Timestamp) -> Ruling {
    match report.outcome {
        Reported::Succeeded(_) => keep_conflict(stored, report, true, given, now),
        Reported::Failed(_) => keep_conflict(stored, report, false, given, now),
        Reported::Unknown => Ruling::answer(Verdict::Reported { repeated: false, late: true }),
    }
}

fn record_success(
    stored: &Stored,
    report: &NewReport<'_>,
    reported_success: &ReportedSuccess,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let late = !stored.lease.is_live();
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    draft.after_release |= draft.state == State::Released;
    report.note(&mut draft, Answer::Recorded { late });
    end_current(&mut draft, AttemptEnd::Succeeded);
    let (success, result) = success(reported_success, Source::Holder);
    let outcome = Outcome::Succeeded(success);
    let settlement = settlement(outcome, draft.attempt(), Source::Holder, late, now);
    let terms = terms(&stored.record, given.policy);
    reported(settle(stored, draft, settlement, result, &terms), late)
}

/// A failure speaks for its own attempt: while the fate of an earlier one is open it settles
/// nothing, unless the provider itself refused under the key that both attempts share.
fn record_failure(
    stored: &Stored,
    report: &NewReport<'_>,
    failure: &Failure,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let late = !stored.lease.is_live();
    let contested = stored.record.is_contested();
    let stands = contested
        || !earlier_unresolved(&stored.record)
        || refused_by_provider(stored, failure, given, now);
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    report.note(&mut draft, Answer::Recorded { late });
    end_current(&mut draft, AttemptEnd::Failed);
    if !stands {
        return reported(unsettle(stored, draft, UnknownCause::EarlierAttempt), late);
    }
    draft.disputed |= contested;
    let outcome = Outcome::Failed(failure.clone());
    let settlement = settlement(outcome, draft.attempt(), Source::Holder, late, now);
    let terms = terms(&stored.record, given.policy);
    reported(settle(stored, draft, settlement, ResultWrite::Clear, &terms), late)
}

fn refused_by_provider(
    stored: &Stored,
    failure: &Failure,
    given: &Given<'_>,
    now: Timestamp,
) -> bool {
    let terms = terms(&stored.record, given.policy);
    terms.effect_class == EffectClass::Keyed
        && !failure.provider_reference.is_empty()
        && deduplicates(&stored.record, &terms, now)
}

fn record_unknown(
    stored: &Stored,
    report: &NewReport<'_>,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let late = told_before(stored, report).unwrap_or(!stored.lease.is_live());
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    report.note(&mut draft, Answer::Recorded { late });
    end_current(&mut draft, AttemptEnd::Unresolved);
    reported(unsettle(stored, draft, UnknownCause::Reported), late)
}

/// Whether the same report was called late when it came first; it is answered alike when it takes a
/// release back.
fn told_before(stored: &Stored, report: &NewReport<'_>) -> Option<bool> {
    match report.stored_in(&stored.record)?.answer {
        Answer::Recorded { late } => Some(late),
        Answer::Conflict | Answer::Fenced => None,
    }
}

/// The success is known from the provider or an operator, and nobody ever knew its result.
fn never_known(record: &Record) -> bool {
    record.settlement().is_some_and(|settlement| {
        matches!(&settlement.outcome, Outcome::Succeeded(success)
            if success.result == ResultKind::NeverKnown)
    })
}

/// The holder's own result arrives after all; it is taken once.
fn fill_in(
    stored: &Stored,
    report: &NewReport<'_>,
    reported_success: &ReportedSuccess,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    report.note(&mut draft, Answer::Recorded { late: true });
    let (told, result) = success(reported_success, Source::Holder);
    if let State::Settled(settlement) = &mut draft.state
        && let Outcome::Succeeded(known) = &mut settlement.outcome
    {
        known.result = told.result;
        known.amount = known.amount.take().or(told.amount);
        if known.provider_reference.is_empty() {
            known.provider_reference = told.provider_reference;
        }
    }
    let terms = terms(&stored.record, given.policy);
    let result_expiry = super::draft::after(terms.result_retention);
    let write = Write { result, result_expiry, ..annotate(stored, draft, Expiry::Keep) };
    reported(write, true)
}

/// Another outcome is recorded: this one is kept as evidence, and disputes the record where it says
/// that it happened.
fn keep_conflict(
    stored: &Stored,
    report: &NewReport<'_>,
    disputes: bool,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let write = keep(stored, report, disputes, Answer::Conflict, given, now);
    Ruling::after(write, Verdict::Refused(conflict(stored)))
}

fn keep(
    stored: &Stored,
    report: &NewReport<'_>,
    disputes: bool,
    answer: Answer,
    given: &Given<'_>,
    now: Timestamp,
) -> Write {
    let mut draft = revise(stored, given, now);
    draft.disputed |= disputes;
    report.note(&mut draft, answer);
    let in_doubt = disputes || draft.is_contested();
    annotate(stored, draft, if in_doubt { Expiry::Never } else { Expiry::Keep })
}

/// An earlier token: refused, and kept as evidence. A success contests what is open and disputes a
/// failure.
fn earlier(
    stored: &Stored,
    report: &NewReport<'_>,
    right_hash: bool,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let refusal = |kept| Verdict::Refused(fenced(&stored.record, kept));
    match report.outcome {
        Reported::Unknown => Ruling::answer(refusal(false)),
        Reported::Succeeded(_) if !right_hash => Ruling::answer(refusal(false)),
        Reported::Succeeded(_) => {
            let disputes = standing(stored) == Standing::Failed;
            let write = keep(stored, report, disputes, Answer::Fenced, given, now);
            Ruling::after(write, refusal(true))
        }
        Reported::Failed(_) => {
            let write = keep(stored, report, false, Answer::Fenced, given, now);
            Ruling::after(write, refusal(true))
        }
    }
}
