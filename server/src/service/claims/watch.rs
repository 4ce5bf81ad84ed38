//! Watch: what a duplicate would be told, now and after each change. Never grants.

use std::{sync::Arc, time::Duration};

use onced_proto::v1;
use tokio::{sync::mpsc, time::Instant};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{
    super::{call::Call, question, result_bytes_max},
    Names, Service, Stream,
    look::sight,
};
use crate::{
    keeper::Answered,
    record::Standing,
    ruling::{self, Refusal, Request, Verdict},
    status::Denial,
    store::Stored,
    wire::{
        self,
        outcome::Sight,
        request::{self, Asked},
    },
};

/// A look that shows nothing new is not repeated sooner.
const QUIET: Duration = Duration::from_millis(20);

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
    let watch = Watch { service, asked, call, end };
    let (seen, first) = watch.look().await?;
    let (events, stream) = mpsc::channel(1);
    tokio::spawn(watch.run(seen, first, events));
    Ok(Box::pin(ReceiverStream::new(stream)))
}

type Events = mpsc::Sender<Result<v1::WatchResponse, Status>>;

impl Watch {
    /// Tells every change, until the intent is settled, the watcher is gone, or the time is over.
    async fn run(self, mut seen: Seen, mut event: v1::WatchResponse, events: Events) {
        loop {
            if events.send(Ok(event)).await.is_err() || seen.is_settled() {
                return;
            }
            match self.next(seen, &events).await {
                Ok(Some(next)) => (seen, event) = next,
                Ok(None) => return,
                Err(denial) => {
                    let status = self.denied(&denial);
                    let _ = events.send(Err(status)).await;
                    return;
                }
            }
        }
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
        seen: Seen,
        events: &Events,
    ) -> Result<Option<(Seen, v1::WatchResponse)>, Denial> {
        loop {
            tokio::select! {
                biased;
                () = self.service.load.draining().cancelled() => return Err(Denial::Draining),
                () = events.closed() => return Ok(None),
                () = tokio::time::sleep_until(self.end) => return Ok(None),
                () = self.service.keeper.changed(&self.asked.intent, seen.version, self.end) => {}
            }
            let (now_seen, event) = self.look().await?;
            if now_seen != seen {
                return Ok(Some((now_seen, event)));
            }
            tokio::time::sleep(QUIET).await;
        }
    }

    async fn look(&self) -> Result<(Seen, v1::WatchResponse), Denial> {
        let Asked { intent, request } = self.asked.clone();
        let policy = self.service.policy(&intent);
        let deadline = Instant::now() + self.service.bounds.call_max;
        let ask = question(intent, Request::Get(request), policy, &self.call);
        let ask = crate::keeper::Ask { deadline, ..ask };
        match self.service.ask(ask).await {
            Ok(answered) => Ok(self.event(&answered)),
            Err(Denial::Refused { refusal: Refusal::KeyNotFound, .. }) => Ok(nothing()),
            Err(denial) => Err(denial),
        }
    }

    fn event(&self, answered: &Answered) -> (Seen, v1::WatchResponse) {
        let Some(stored) = &answered.stored else { return nothing() };
        let standing = ruling::standing(stored);
        let seen = Seen { version: Some(stored.record.version), standing: Some(standing) };
        let ruling = self.ruling(stored, answered);
        (seen, v1::WatchResponse { state: wire::state(standing).into(), ruling })
    }

    fn ruling(&self, stored: &Stored, answered: &Answered) -> Option<v1::Ruling> {
        let policy = self.service.policy(&self.asked.intent);
        let (policy, bound) = (policy.as_deref(), self.service.clock_bound);
        let verdict: Verdict = ruling::duplicate(stored, policy, bound, answered.now)?;
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

fn nothing() -> (Seen, v1::WatchResponse) {
    let seen = Seen { version: None, standing: None };
    (seen, v1::WatchResponse { state: v1::State::Unspecified.into(), ruling: None })
}
