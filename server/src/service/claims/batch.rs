//! Batches: each item on its own, all at once. Never waits, and one item's refusal changes no
//! other.

use std::{collections::HashMap, future::Future, sync::Arc};

use onced_proto::v1;
use prost::Message;
use tokio::task::JoinSet;

use super::{super::call::Call, Names, Service};
use crate::{
    status::Denial,
    violation::Violation,
    wire::{intent::shorten, outcome::leave_out},
};

/// Most items.
const ITEMS_MAX: usize = 1_000;
/// Largest answer, in bytes: most clients refuse more than 4 MiB.
const ANSWER_MAX: usize = 3 << 20;

/// Claims many.
pub(super) async fn claim(
    service: Arc<Service>,
    requests: Vec<v1::ClaimRequest>,
    call: Call,
) -> Result<Vec<v1::BatchClaimResult>, Denial> {
    use v1::batch_claim_result::Result as One;
    let admitted = service.load.admit(requests.len())?;
    check(requests.iter().map(|request| request.intent.as_ref()))?;
    let answers = each(&service, requests, call, |service, request, call| {
        let room = admitted.room();
        async move {
            let names = Names::of(request.intent.as_ref());
            match refuse_waiting(&request) {
                Some(denial) => service.item(Err(denial), &names),
                None => service.item(service.claim_at_once(request, &call, room).await, &names),
            }
        }
    });
    let mut results: Vec<v1::BatchClaimResult> = answers
        .await
        .into_iter()
        .map(|answer| v1::BatchClaimResult {
            result: Some(answer.map_or_else(One::Status, One::Ruling)),
        })
        .collect();
    drop(admitted);
    fit(&mut results, leave_result_out);
    Ok(results)
}

/// Completes many.
pub(super) async fn complete(
    service: Arc<Service>,
    requests: Vec<v1::CompleteRequest>,
    call: Call,
) -> Result<Vec<v1::BatchCompleteResult>, Denial> {
    use v1::batch_complete_result::Result as One;
    check(requests.iter().map(|request| request.intent.as_ref()))?;
    let answers = each(&service, requests, call, |service, request, call| async move {
        let names = Names::of(request.intent.as_ref());
        service.item(service.complete(request, &call).await, &names)
    });
    let mut results: Vec<v1::BatchCompleteResult> = answers
        .await
        .into_iter()
        .map(|answer| v1::BatchCompleteResult {
            result: Some(answer.map_or_else(One::Status, One::Response)),
        })
        .collect();
    fit(&mut results, shorten_history);
    Ok(results)
}

/// Renews many.
pub(super) async fn renew(
    service: Arc<Service>,
    requests: Vec<v1::RenewRequest>,
    call: Call,
) -> Result<Vec<v1::BatchRenewResult>, Denial> {
    use v1::batch_renew_result::Result as One;
    check(requests.iter().map(|request| request.intent.as_ref()))?;
    let answers = each(&service, requests, call, |service, request, call| async move {
        let names = Names::of(request.intent.as_ref());
        service.item(service.renew(request, &call).await, &names)
    });
    let result = |answer: Result<_, _>| Some(answer.map_or_else(One::Status, One::Response));
    let answers = answers.await.into_iter();
    Ok(answers.map(|answer| v1::BatchRenewResult { result: result(answer) }).collect())
}

/// Releases many.
pub(super) async fn release(
    service: Arc<Service>,
    requests: Vec<v1::ReleaseRequest>,
    call: Call,
) -> Result<Vec<v1::BatchReleaseResult>, Denial> {
    use v1::batch_release_result::Result as One;
    check(requests.iter().map(|request| request.intent.as_ref()))?;
    let answers = each(&service, requests, call, |service, request, call| async move {
        let names = Names::of(request.intent.as_ref());
        service.item(service.release(request, &call).await, &names)
    });
    let result = |answer: Result<_, _>| Some(answer.map_or_else(One::Status, One::Response));
    let answers = answers.await.into_iter();
    Ok(answers.map(|answer| v1::BatchReleaseResult { result: result(answer) }).collect())
}

impl Service {
    /// A denial as the answer of one item.
    fn item<T>(&self, answer: Result<T, Denial>, names: &Names) -> Result<T, tonic_types::Status> {
        answer.map_err(|denial| {
            self.note(&denial, names);
            denial.message()
        })
    }
}

/// Runs `one` for every request, all at once; the answers are in the order of the requests.
async fn each<R, T, F>(
    service: &Arc<Service>,
    requests: Vec<R>,
    call: Call,
    one: impl Fn(Arc<Service>, R, Call) -> F,
) -> Vec<Result<T, tonic_types::Status>>
where
    T: Send + 'static,
    F: Future<Output = Result<T, tonic_types::Status>> + Send + 'static,
{
    let mut answers: Vec<_> = requests.iter().map(|_| Err(Denial::Draining.message())).collect();
    let mut running = JoinSet::new();
    for (place, request) in requests.into_iter().enumerate() {
        let answer = one(service.clone(), request, call.clone());
        running.spawn(async move { (place, answer.await) });
    }
    while let Some(done) = running.join_next().await {
        if let Ok((place, answer)) = done {
            answers[place] = answer;
        }
    }
    answers
}

/// One to a thousand items, no intent twice: all violations at once, before anything is done.
fn check<'a>(intents: impl Iterator<Item = Option<&'a v1::IntentId>>) -> Result<(), Denial> {
    let mut first_places = HashMap::new();
    let mut violations = Vec::new();
    let mut items = 0;
    for (place, intent) in intents.enumerate() {
        items += 1;
        let Some(intent) = intent.filter(|_| place < ITEMS_MAX) else { continue };
        let first = *first_places.entry(intent).or_insert(place);
        if first != place {
            let field = format!("requests[{place}].intent");
            violations.push(Violation::new("", &field, format!("is that of requests[{first}]")));
        }
    }
    if !(1..=ITEMS_MAX).contains(&items) {
        let fault = format!("has {items} items; 1 to {ITEMS_MAX} are taken");
        violations.push(Violation::new("", "requests", fault));
    }
    if violations.is_empty() { Ok(()) } else { Err(Denial::Malformed(violations)) }
}

fn refuse_waiting(request: &v1::ClaimRequest) -> Option<Denial> {
    use v1::InProgressStrategy::{Reject, Wait};
    let waits = [Wait, Reject].contains(&request.in_progress_strategy());
    let fault = "must be PENDING in a batch";
    waits.then(|| Denial::Malformed(vec![Violation::new("", "in_progress_strategy", fault)]))
}

/// Cuts what is too much: everything keeps its short form, the long forms go in as long as there is
/// room.
fn fit<T: Message + Clone>(results: &mut [T], cut: impl Fn(&mut T)) {
    let whole: usize = results.iter().map(Message::encoded_len).sum();
    if whole <= ANSWER_MAX {
        return;
    }
    let short: Vec<T> = results
        .iter()
        .map(|result| {
            let mut short = result.clone();
            cut(&mut short);
            short
        })
        .collect();
    let mut total: usize = short.iter().map(Message::encoded_len).sum();
    for (result, short) in results.iter_mut().zip(short) {
        let more = result.encoded_len().saturating_sub(short.encoded_len());
        if total + more > ANSWER_MAX {
            *result = short;
        } else {
            total += more;
        }
    }
}

fn leave_result_out(result: &mut v1::BatchClaimResult) {
    use v1::{batch_claim_result::Result::Ruling, ruling::Verdict::Completed};
    if let Some(Ruling(v1::Ruling { verdict: Some(Completed(completed)), .. })) = &mut result.result
    {
        leave_out(completed);
    }
}

fn shorten_history(result: &mut v1::BatchCompleteResult) {
    use v1::batch_complete_result::Result::Response;
    if let Some(Response(v1::CompleteResponse { intent: Some(intent), .. })) = &mut result.result {
        shorten(intent);
    }
}

#[cfg(test)]
mod tests;
