//! All contenders over one cluster, and what is settled there before they begin.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::Result;
use onced::{
    clock::Clock,
    store::cql::{Cql, Options},
};
use tokio::task::JoinSet;

use super::{contender::Contender, keepers::Keepers, raw::Raw};
use crate::{
    claims::{self, Claims},
    onced::serve_over,
};

/// Of what is settled, so many are asked for again and again by the warm ones.
const WARM: usize = 200;
const FILLERS: usize = 32;

pub(super) struct Lab {
    raw: Raw,
    keepers: Keepers,
    server: Claims,
    settled: Vec<String>,
    turn: AtomicUsize,
}

type Call = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

impl Lab {
    pub(super) async fn furnish(
        options: &Options,
        engine: Arc<Cql>,
        clock: Arc<dyn Clock>,
        count: usize,
    ) -> Result<Self> {
        let keepers = Keepers::over(Arc::clone(&engine) as _, Arc::clone(&clock));
        let key = keepers.fresh().await?;
        let intent = (claims::NAMESPACE, claims::OPERATION, &*key);
        let raw = Raw::like(options, intent).await?;
        let server = Claims::connect(serve_over(engine, clock).await?).await?;
        let settled = settle(&server, count).await?;
        Ok(Self { raw, keepers, server, settled, turn: AtomicUsize::new(0) })
    }

    /// What must be in mind is looked at once, untimed.
    pub(super) async fn prepare(&self, contender: Contender) -> Result<()> {
        for key in self.warm() {
            match contender {
                Contender::Warm => self.keepers.warm(key).await?,
                Contender::WarmCalled => self.server.duplicate(0, key).await?,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// One call after the other, by as many callers as there are.
    pub(super) fn call(
        self: &Arc<Self>,
        contender: Contender,
    ) -> impl Fn(usize) -> Call + Clone + Send + 'static {
        let lab = Arc::clone(self);
        move |caller| {
            let lab = Arc::clone(&lab);
            Box::pin(async move { lab.one(contender, caller).await })
        }
    }

    async fn one(&self, contender: Contender, caller: usize) -> Result<()> {
        match contender {
            Contender::Lwt => self.raw.lwt().await,
            Contender::LwtMarked => self.raw.lwt_marked().await,
            Contender::LwtTogether => self.raw.lwt_together().await,
            Contender::Fresh => self.keepers.fresh().await.map(drop),
            Contender::FreshCalled => self.server.fresh(caller).await,
            Contender::Settle => self.server.settle(caller).await.map(drop),
            Contender::Warm => self.keepers.warm(self.next_warm()).await,
            Contender::WarmCalled => self.server.duplicate(caller, self.next_warm()).await,
            Contender::Cold => self.keepers.cold(&self.settled, true).await,
            Contender::ColdUntold => self.keepers.cold(&self.settled, false).await,
        }
    }

    fn warm(&self) -> &[String] {
        &self.settled[..self.settled.len().min(WARM)]
    }

    fn next_warm(&self) -> &str {
        let warm = self.warm();
        &warm[self.turn.fetch_add(1, Ordering::Relaxed) % warm.len()]
    }
}

async fn settle(server: &Claims, count: usize) -> Result<Vec<String>> {
    let mut fillers = JoinSet::new();
    for filler in 0..FILLERS {
        let server = server.clone();
        fillers.spawn(async move {
            let mut keys = Vec::new();
            for _ in 0..count.div_ceil(FILLERS) {
                keys.push(server.settle(filler).await?);
            }
            anyhow::Ok(keys)
        });
    }
    let mut settled = Vec::new();
    while let Some(keys) = fillers.join_next().await {
        settled.extend(keys??);
    }
    Ok(settled)
}
