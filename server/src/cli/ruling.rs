//! A ruling, printed: the verdict, what is known, and what to do next.

use onced_proto::v1::{
    Completed, Granted, InProgress, ReclaimRule, Ruling, Unknown, Warning, ruling::Verdict,
};
use tonic::Status;
use tonic_types::StatusExt;

use super::{
    connection::{Connection, Output, is_unheard},
    exit::{Exit, GrantCheck},
    failure,
    next::Next,
    outcome::{completed_rows, positive, unknown_rows},
    page::{Page, Tone},
    span,
};
use crate::wire::etag;

/// Prints a ruling and its warnings; answers with the exit code.
pub(super) fn print(
    output: Output,
    answer: (&str, &impl prost::Message),
    ruling: Option<&Ruling>,
    check: GrantCheck,
    next: &Next,
) -> anyhow::Result<Exit> {
    let exit = Exit::of_ruling(ruling, check);
    super::print_answer(output, answer, &page(ruling, exit, next))?;
    if output == Output::Text {
        for warning in ruling.map_or(&[][..], |ruling| &ruling.warnings) {
            super::print_page(&warning_page(warning))?;
        }
    }
    Ok(exit)
}

/// Prints why there is no ruling. What a lost answer may have granted can be taken back by
/// `claimant`.
pub(super) fn print_refusal(
    connection: &Connection,
    status: &Status,
    claimant: &str,
    next: &Next,
) -> anyhow::Result<Exit> {
    let exit = Exit::of_refused_ruling(status);
    let mut steps = lost_steps(status, claimant, next);
    steps.extend(too_early_steps(status, next).into_iter().flatten());
    failure::print(connection.output, status, steps)?;
    Ok(exit)
}

/// The steps after a claim that may have been granted without an answer; none if it surely was not.
fn lost_steps(status: &Status, claimant: &str, next: &Next) -> Vec<String> {
    if Exit::of_refused_ruling(status) != Exit::Unavailable || is_unheard(status) {
        return Vec::new();
    }
    vec![
        "It may have been granted all the same. Do not perform the effect;".to_owned(),
        "to take back what was granted, if it was, and then claim anew:".to_owned(),
        next.release_by_claimant(claimant),
    ]
}

/// The page of a ruling. `exit` decides what the headline says, so that both always agree.
pub(super) fn page(ruling: Option<&Ruling>, exit: Exit, next: &Next) -> Page {
    match ruling.and_then(|ruling| ruling.verdict.as_ref()) {
        Some(Verdict::Granted(granted)) if exit == Exit::Done => granted_page(granted, next),
        Some(Verdict::Granted(granted)) => stale_grant_page(granted, next),
        Some(Verdict::Completed(completed)) => completed_page(completed, exit, next),
        Some(Verdict::InProgress(in_progress)) => in_progress_page(in_progress, next),
        Some(Verdict::Unknown(unknown)) => unknown_page(unknown, next),
        None => Page::new(Tone::Doubt, "unknown", "the answer is not understood; do not act")
            .next("This onced may be older than the server: update it, then look again:")
            .next(next.get()),
    }
}

fn granted_page(granted: &Granted, next: &Next) -> Page {
    let token = granted.fencing_token;
    granted_rows(Page::new(Tone::Good, "granted", "perform the effect now, once"), granted)
        .next("Forward the provider key, then report what became of it:")
        .next(next.complete(token, "--succeeded"))
        .next(next.complete(token, "--failed TYPE --message WHY"))
        .next(next.complete(token, "--unknown"))
}

fn stale_grant_page(granted: &Granted, next: &Next) -> Page {
    let headline = if granted.repeated {
        "but to an earlier send of this claimant; do NOT perform the effect"
    } else {
        "but the answer came after the lease; do NOT perform the effect"
    };
    granted_rows(Page::new(Tone::Doubt, "granted", headline), granted)
        .next("If that send surely never led to the effect, give it back and claim anew:")
        .next(next.release(granted.fencing_token))
        .next("Otherwise the holder completes it, or it becomes unknown when its lease ends.")
}

fn granted_rows(page: Page, granted: &Granted) -> Page {
    page.row("attempt", Some(granted.attempt))
        .row("fencing token", Some(granted.fencing_token))
        .row("provider key", Some(&granted.provider_key))
        .row("key forgotten at", granted.provider_key_expire_time.as_ref())
        .row("lease left", span::show(granted.lease.as_ref()))
        .row("lease ends", granted.lease_expire_time.as_ref())
        .row("effect timeout", span::show(granted.effect_timeout.as_ref()))
        .row("result at most", Some(format!("{} bytes", granted.result_bytes_max)))
        .row("reclaimed", granted.reclaimed.then_some("yes: an unresolved attempt was taken over"))
}

fn completed_page(completed: &Completed, exit: Exit, next: &Next) -> Page {
    let page = match exit {
        Exit::Succeeded => Page::new(Tone::Good, "completed", "it succeeded before; do not act"),
        Exit::Failed => Page::new(Tone::Bad, "completed", "it finally failed before; do not act"),
        _ => Page::new(Tone::Doubt, "disputed", "an outcome is recorded, but contradicted")
            .next("Do not act on it. Compare with the provider, and have it resolved. Look:")
            .next(next.get()),
    };
    completed_rows(page, completed)
}

fn in_progress_page(in_progress: &InProgress, next: &Next) -> Page {
    let page = Page::new(Tone::Calm, "in progress", "somebody is at it; do not act, ask again")
        .row("attempt", Some(in_progress.attempt))
        .row("holder", Some(&in_progress.holder))
        .row("first claimed", in_progress.first_claim_time.as_ref())
        .row("lease ends", in_progress.lease_expire_time.as_ref())
        .row("your token", positive(in_progress.fencing_token))
        .row("ask again in", span::show(in_progress.retry_after.as_ref()));
    page.next(next.claim())
}

/// An intent in doubt, and the way out that its rule leaves.
fn unknown_page(unknown: &Unknown, next: &Next) -> Page {
    let headline = "nobody knows whether it happened; do not act, do not call it failed";
    let page = unknown_rows(Page::new(Tone::Doubt, "unknown", headline), unknown);
    let key = &unknown.provider_key;
    match unknown.reclaim_rule() {
        ReclaimRule::Allowed => page
            .next("Take it over; the same provider key makes the provider deduplicate:")
            .next(next.reclaim("WHY")),
        ReclaimRule::EvidenceRequired => evidence_steps(page, unknown, next),
        ReclaimRule::AttemptsExhausted | ReclaimRule::ResolveRequired => page
            .next(format!("Ask the provider for {key}; an operator resolves it. Look:"))
            .next(next.get()),
        ReclaimRule::Unspecified => page.next("Look again:").next(next.get()),
    }
}

/// Evidence may name only an etag that was read when evidence counted, or that says "no record".
fn evidence_steps(page: Page, unknown: &Unknown, next: &Next) -> Page {
    let start = unknown.evidence_start_time.as_ref().map(ToString::to_string);
    let (named, key) = (&unknown.etag, &unknown.provider_key);
    let from = match (named.as_str(), start) {
        ("none", Some(start)) => format!(", not before {start}"),
        (named, start) if named != "none" && !named.ends_with(etag::MARK) => {
            return wait_steps(start.as_deref(), next).into_iter().fold(page, Page::next);
        }
        _ => String::new(),
    };
    page.next(format!("Ask the provider for {key}{from}, then tell what was found:"))
        .next(next.reclaim_with_evidence(named, "not-applied"))
        .next(next.reclaim_with_evidence(named, "applied"))
}

/// What to do while no evidence counts yet.
fn wait_steps(start: Option<&str>, next: &Next) -> [String; 2] {
    let wait = start.map_or_else(|| "Wait".to_owned(), |start| format!("Wait until {start}"));
    [
        format!("{wait}, then read the etag that evidence may name, and ask the provider:"),
        next.get(),
    ]
}

/// The steps after a refusal that comes because evidence was judged too early.
fn too_early_steps(status: &Status, next: &Next) -> Option<[String; 2]> {
    let info = status.get_details_error_info()?;
    let is_early = info.domain == "onced.v1" && info.reason == "EVIDENCE_TOO_EARLY";
    let start = info.metadata.get("evidence_start_time").map(String::as_str);
    is_early.then(|| wait_steps(start, next))
}

fn warning_page(warning: &Warning) -> Page {
    let kind = warning.r#type().as_str_name().trim_start_matches("WARNING_TYPE_");
    Page::new(Tone::Doubt, "warning", format!("{kind}: {}", warning.message))
}

#[cfg(test)]
mod tests;
