//! Watch: what a duplicate would be told, now and after each change. Never grants.

use std::{sync::Arc, time::Duration};

use onced_proto::v1;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{
    super::{call::Call, question, result_bytes_max},
    Names, Service, Stream,
    look::sight,
};
use crate::{
    keeper::{Answered, Ask, Changes, Known},
    record::Standing,
    ruling::{self, Refusal, Request},
    status::Denial,
    store::{Lease, Stored},
    wire::{
        self,
        outcome::Sight,
        request::{self, Asked},
    },
};

/// One Watch.
struct Watch {
    service: Arc<Service>,
    asked: Asked<ruling::Get>,
    call: Call,
    end: Instant,
}

/// What was seen at one look: another one is another event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    version: Option<u64>,
    standing: Option<Standing>,
}

/// One look: what was seen, how it is told, and when it changes without a write.
struct Look {
    seen: Seen,
    /// What of it makes news.
    known: Known,
    event: v1::WatchResponse,
    lease_left: Option<Duration>,
}

/// Opens a Watch. What is wrong with the first look is the answer to the call.
pub(super) async fn watch(
    service: Arc<Service>,
    request: v1::WatchRequest,
    call: Call,
) -> Result<Stream<v1::WatchResponse>, Denial> {
    if service.load.draining().is_cancelled() {
        return Err(Denial::Draining);
    }
    let asked = request::watch(request).map_err(Denial::Malformed)?;
    let end = call.received + service.bounds.max_watch;
    let changes = service.keeper.changes(&asked.intent);
    let watch = Watch { service, asked, call, end };
    let first = watch.look().await?;
    let (events, stream) = mpsc::channel(1);
    tokio::spawn(watch.run(first, changes, events));
    Ok(Box::pin(ReceiverStream::new(stream)))
}

type Events = mpsc::Sender<Result<v1::WatchResponse, Status>>;

impl Watch {
    /// Tells every change, until the intent is settled, the watcher is gone, or the time is over.
    async fn run(self, mut look: Look, mut changes: Changes, events: Events) {
        loop {
            let event = std::mem::take(&mut look.event);
            if !self.told(&events, Ok(event)).await || look.seen.is_settled() {
                return;
            }
            match self.next(look, &mut changes, &events).await {
                Ok(Some(next)) => look = next,
                Ok(None) => return,
                Err(denial) => {
                    self.told(&events, Err(self.denied(&denial))).await;
                    return;
                }
            }
        }
    }

    /// Whether it was taken: a watcher that does not read is not waited for beyond the end.
    async fn told(&self, events: &Events, event: Result<v1::WatchResponse, Status>) -> bool {
        matches!(timeout_at(self.end, events.send(event)).await, Ok(Ok(())))
    }

    fn denied(&self, denial: &Denial) -> Status {
        let intent = &self.asked.intent;
        let names = Names {
            namespace: intent.namespace().to_owned(),
            operation: intent.operation().to_owned(),
        };
        self.service.note(denial, &names);
        denial.status()
    }

    /// The next look that shows something new; none at the end.
    async fn next(
        &self,
        mut look: Look,
        changes: &mut Changes,
        events: &Events,
    ) -> Result<Option<Look>, Denial> {
        let seen = look.seen;
        while look.seen == seen {
            let wake = self.wake(look.lease_left);
            tokio::select! {
                biased;
                () = self.service.load.draining().cancelled() => return Err(Denial::Draining),
                () = events.closed() => return Ok(None),
                () = tokio::time::sleep_until(self.end) => return Ok(None),
                () = changes.next(look.known, wake) => {}
            }
            look = self.look().await?;
        }
        Ok(Some(look))
    }

    /// When to look again without news.
    fn wake(&self, lease_left: Option<Duration>) -> Instant {
        let pause = lease_left.and_then(|left| self.service.keeper.patience(left));
        pause.map_or(self.end, |pause| self.end.min(Instant::now() + pause))
    }

    async fn look(&self) -> Result<Look, Denial> {
        let Asked { intent, request } = self.asked.clone();
        let policy = self.service.policy(&intent);
        let deadline = Instant::now() + self.service.bounds.call_max;
        let ask = question(intent, Request::Get(request), policy, &self.call);
        match self.service.ask(Ask { deadline, ..ask }).await {
            Ok(answered) => Ok(self.seen(&answered)),
            Err(Denial::Refused { refusal: Refusal::KeyNotFound, .. }) => Ok(nothing()),
            Err(denial) => Err(denial),
        }
    }

    fn seen(&self, answered: &Answered) -> Look {
        let Some(stored) = &answered.stored else { return nothing() };
        let standing = ruling::standing(stored);
        let seen = Seen { version: Some(stored.record.version), standing: Some(standing) };
        let ruling = self.ruling(stored, answered);
        let event = v1::WatchResponse { state: wire::state(standing).into(), ruling };
        let lease_left = match stored.lease {
            Lease::Live { left } if standing == Standing::Live => Some(left),
            Lease::Live { .. } | Lease::Over => None,
        };
        Look { seen, known: Known::of(Some(stored)), event, lease_left }
    }

    fn ruling(&self, stored: &Stored, answered: &Answered) -> Option<v1::Ruling> {
        let policy = self.service.policy(&self.asked.intent);
        let policy = policy.as_deref();
        let verdict = ruling::duplicate(stored, &answered.given(policy), answered.now)?;
        let facts = wire::ruling::Facts {
            stored: Some(stored),
            provider_key: &stored.record.provider_key,
            result_bytes_max: result_bytes_max(policy),
            waited: Duration::ZERO,
            now: answered.now,
            sight: self.sight(),
        };
        let verdict = wire::ruling::verdict(&verdict, &facts);
        Some(v1::Ruling { verdict, warnings: Vec::new() })
    }

    fn sight(&self) -> Sight {
        sight(&self.asked.request)
    }
}

impl Seen {
    fn is_settled(self) -> bool {
        matches!(self.standing, Some(Standing::Succeeded | Standing::Failed))
    }
}

fn nothing() -> Look {
    let seen = Seen { version: None, standing: None };
    let event = v1::WatchResponse { state: v1::State::Unspecified.into(), ruling: None };
    Look { seen, known: Known::of(None), event, lease_left: None }
}
