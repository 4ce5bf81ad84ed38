//! One intent, one call at a time: what each call may be told, and what it leaves behind.
//!
//! Written from the table of calls and states, for a `keyed` operation inside its window and with
//! attempts enough. Knows nothing of how the server decides. Time enters in one place: a lease that
//! was promised is not over before its end.

use std::collections::BTreeMap;

use onced_proto::v1::State;
use uuid::Uuid;

use super::call::{Asked, Call, Moment, Said, Told};

/// Reports other than successes that a record surely remembers.
const REPORTS_KEPT: usize = 16;

/// An intent as the calls so far leave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Intent {
    grants: Vec<Grant>,
    standing: Standing,
    disputed: bool,
    /// How long the current lease was promised to its holder, as far as anybody was told.
    until: Moment,
    /// Reports and the answers that they got.
    reports: BTreeMap<(usize, Said), Reply>,
    spent: Vec<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Grant {
    claimant: Uuid,
    /// Absent while nobody was told.
    token: Option<i64>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    Open,
    Unresolved,
    Harmless,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Standing {
    #[default]
    None,
    Live,
    Over,
    Unknown,
    Released,
    Settled(Said),
}

/// What a call is told, but for what only its answer can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Reply {
    NewGrant,
    Repeat,
    Completed,
    InProgress { own: bool },
    Unknown { own: bool },
    Taken,
    Renewed,
    Seen,
    Refused(&'static str),
}

/// Each is a reply and what it leaves behind.
type Ways = Vec<(Reply, Intent)>;

impl Intent {
    /// Every way in which this call can have gone. One whose answer was lost counts only where it
    /// changed something.
    pub(crate) fn after(&self, call: &Call) -> Vec<Self> {
        let mut ways = self.ways(call, false);
        // Its lease may end at any moment after what was promised.
        if self.standing == Standing::Live && call.end >= self.until {
            ways.extend(Self { standing: Standing::Over, ..self.clone() }.ways(call, true));
        }
        match &call.told {
            None => ways.into_iter().map(|(_, next)| next).filter(|next| next != self).collect(),
            Some(told) => {
                ways.into_iter().filter_map(|(reply, next)| next.agreed(&reply, told)).collect()
            }
        }
    }

    /// `just_over`: only what shows that the lease is over.
    fn ways(&self, call: &Call, just_over: bool) -> Ways {
        use Asked::{Complete, Release, TakeBack};
        if just_over && matches!(call.asked, Complete(..) | Release(_) | TakeBack(_)) {
            return Vec::new();
        }
        match &call.asked {
            Asked::Claim(claimant) => self.claim(*claimant),
            Asked::Reclaim(claimant) => self.reclaim(*claimant),
            Asked::Complete(token, said) => self.complete(self.index(*token), said),
            Asked::Release(token) => vec![self.report(self.index(*token), &Said::Released)],
            Asked::TakeBack(claimant) => vec![self.take_back(*claimant)],
            Asked::Renew(token) => vec![self.renew(*token)],
            Asked::Get if self.grants.is_empty() => vec![self.refuse("KEY_NOT_FOUND")],
            Asked::Get => vec![self.tell(Reply::Seen)],
        }
    }

    fn tell(&self, reply: Reply) -> (Reply, Self) {
        (reply, self.clone())
    }

    fn refuse(&self, reason: &'static str) -> (Reply, Self) {
        self.tell(Reply::Refused(reason))
    }

    fn index(&self, token: i64) -> Option<usize> {
        self.grants.iter().position(|grant| grant.token == Some(token))
    }

    fn is_current(&self, index: usize) -> bool {
        index + 1 == self.grants.len()
    }

    fn is_contested(&self) -> bool {
        let succeeded = |(_, said): &(usize, Said)| matches!(said, Said::Succeeded(_));
        !matches!(self.standing, Standing::Settled(_)) && self.reports.keys().any(succeeded)
    }

    /// What every Claim and Reclaim is told first: of an outcome, or of its claimant's own attempt.
    fn known(&self, claimant: Uuid) -> Option<Ways> {
        if matches!(self.standing, Standing::Settled(_)) {
            return Some(vec![self.tell(Reply::Completed)]);
        }
        let own = self.grants.iter().position(|grant| grant.claimant == claimant);
        let has_ended = |index| !self.is_current(index) || self.grants[index].end == End::Harmless;
        match own {
            _ if self.spent.contains(&claimant) => Some(vec![self.refuse("CLAIMANT_SPENT")]),
            None => None,
            Some(index) if has_ended(index) => Some(vec![self.refuse("CLAIMANT_SPENT")]),
            Some(_) if self.standing == Standing::Live => {
                Some(vec![self.tell(Reply::Repeat), self.tell(Reply::InProgress { own: true })])
            }
            Some(_) => Some(vec![self.tell(Reply::Unknown { own: true })]),
        }
    }

    fn claim(&self, claimant: Uuid) -> Ways {
        self.known(claimant).unwrap_or_else(|| match self.standing {
            Standing::Released if self.is_contested() => {
                vec![self.tell(Reply::Unknown { own: false })]
            }
            Standing::None | Standing::Released => vec![self.granted(claimant)],
            Standing::Live => vec![self.tell(Reply::InProgress { own: false })],
            _ => vec![self.tell(Reply::Unknown { own: false })],
        })
    }

    fn reclaim(&self, claimant: Uuid) -> Ways {
        if self.standing == Standing::None {
            return vec![self.refuse("KEY_NOT_FOUND")];
        }
        self.known(claimant).unwrap_or_else(|| match self.standing {
            Standing::Live => vec![self.tell(Reply::InProgress { own: false })],
            _ => vec![self.granted(claimant)],
        })
    }

    fn granted(&self, claimant: Uuid) -> (Reply, Self) {
        let mut next = Self { standing: Standing::Live, until: 0, ..self.clone() };
        if let Some(last) = next.grants.last_mut().filter(|last| last.end == End::Open) {
            last.end = End::Unresolved;
        }
        next.grants.push(Grant { claimant, token: None, end: End::Open });
        (Reply::NewGrant, next)
    }

    fn renew(&self, token: i64) -> (Reply, Self) {
        match self.index(token) {
            _ if self.standing == Standing::None => self.refuse("KEY_NOT_FOUND"),
            Some(index) if !self.is_current(index) => self.refuse("FENCED"),
            Some(_) if self.standing == Standing::Live => self.tell(Reply::Renewed),
            Some(_) => self.refuse("LEASE_LOST"),
            None => self.refuse("INVALID_FIELD"),
        }
    }

    fn take_back(&self, claimant: Uuid) -> (Reply, Self) {
        let own = self.grants.iter().position(|grant| grant.claimant == claimant);
        let settled = matches!(self.standing, Standing::Settled(_));
        if own.is_some() {
            return self.report(own, &Said::Released);
        }
        let mut next = self.clone();
        if !settled && !next.spent.contains(&claimant) {
            next.spent.push(claimant);
        }
        (Reply::Taken, next)
    }

    /// Of all reports but successes only so many are kept: a copy of an older one may be told that
    /// its token is not current, and moves nothing.
    fn complete(&self, index: Option<usize>, said: &Said) -> Ways {
        let told = self.report(index, said);
        let is_success = |said: &Said| matches!(said, Said::Succeeded(_));
        let kept = self.reports.keys().filter(|(_, said)| !is_success(said)).count();
        let is_old = index.is_some_and(|index| !self.is_current(index));
        if kept > REPORTS_KEPT && is_old && !is_success(said) && told.0 == Reply::Taken {
            return vec![told, self.refuse("FENCED")];
        }
        vec![told]
    }

    /// A report under the token of the grant at `index`; the same report gets the same answer.
    fn report(&self, index: Option<usize>, said: &Said) -> (Reply, Self) {
        if self.standing == Standing::None {
            return self.refuse("KEY_NOT_FOUND");
        }
        let Some(index) = index else { return self.refuse("INVALID_FIELD") };
        let takes_back =
            self.is_current(index) && *said == Said::Unknown && self.standing == Standing::Released;
        let stored = self.reports.get(&(index, said.clone()));
        if let Some(reply) = stored.filter(|_| !takes_back) {
            return self.tell(reply.clone());
        }
        if self.is_current(index) { self.own(index, said) } else { self.fenced(index, said) }
    }

    fn fenced(&self, index: usize, said: &Said) -> (Reply, Self) {
        let (reply, next) = self.refuse("FENCED");
        match said {
            Said::Unknown | Said::Released => (reply, next),
            Said::Failed(_) => next.noting(index, said, reply),
            Said::Succeeded(_) => {
                let failed = matches!(self.standing, Standing::Settled(Said::Failed(_)));
                Self { disputed: self.disputed || failed, ..next }.noting(index, said, reply)
            }
        }
    }

    /// The current holder speaks.
    fn own(&self, index: usize, said: &Said) -> (Reply, Self) {
        match (&self.standing, said) {
            (Standing::Settled(_), Said::Released) => self.refuse("ALREADY_SETTLED"),
            (Standing::Settled(_), Said::Unknown) => self.tell(Reply::Taken),
            (Standing::Settled(_), _) => {
                let failed = matches!(self.standing, Standing::Settled(Said::Failed(_)));
                let disputes = failed && matches!(said, Said::Succeeded(_));
                let next = Self { disputed: self.disputed || disputes, ..self.clone() };
                next.noting(index, said, Reply::Refused("OUTCOME_CONFLICT"))
            }
            (Standing::Released, Said::Failed(_)) if !self.is_contested() => {
                self.clone().noting(index, said, Reply::Refused("OUTCOME_CONFLICT"))
            }
            (Standing::Released, Said::Released) => self.clone().noting(index, said, Reply::Taken),
            _ => self.taken(index, said).noting(index, said, Reply::Taken),
        }
    }

    /// A failure and a release speak for their own attempt only.
    fn taken(&self, index: usize, said: &Said) -> Self {
        let mut next = self.clone();
        let in_doubt = self.grants[..index].iter().any(|grant| grant.end == End::Unresolved);
        next.grants[index].end = match said {
            Said::Unknown => End::Open,
            Said::Succeeded(_) | Said::Failed(_) | Said::Released => End::Harmless,
        };
        next.disputed |= matches!(said, Said::Failed(_)) && self.is_contested();
        next.standing = match said {
            Said::Failed(_) if self.is_contested() => Standing::Settled(said.clone()),
            Said::Failed(_) | Said::Released if in_doubt => Standing::Unknown,
            Said::Succeeded(_) | Said::Failed(_) => Standing::Settled(said.clone()),
            Said::Released => Standing::Released,
            Said::Unknown => Standing::Unknown,
        };
        next
    }

    fn noting(mut self, index: usize, said: &Said, reply: Reply) -> (Reply, Self) {
        self.reports.insert((index, said.clone()), reply.clone());
        (reply, self)
    }

    /// What the answer tells beyond the reply: none if it contradicts.
    fn agreed(mut self, reply: &Reply, told: &Told) -> Option<Self> {
        let current = self.grants.last().and_then(|grant| grant.token);
        match (reply, told) {
            (Reply::NewGrant, Told::Granted { token, attempt, repeated: false, until }) => {
                let rises = self.grants.iter().all(|grant| grant.token.is_none_or(|t| t < *token));
                (rises && *attempt == self.grants.len()).then(|| self.bound(*token, *until))?
            }
            (Reply::Repeat, Told::Granted { token, attempt, repeated: true, until }) => {
                (*attempt == self.grants.len()).then(|| self.bound(*token, *until))?
            }
            (Reply::Completed, Told::Completed { said, disputed }) => {
                let same = self.standing == Standing::Settled(said.clone());
                (same && self.disputed == *disputed).then_some(self)
            }
            (Reply::InProgress { own: false }, Told::InProgress(0))
            | (Reply::Unknown { own: false }, Told::Unknown(0))
            | (Reply::Taken, Told::Taken) => Some(self),
            (Reply::InProgress { own: true }, Told::InProgress(token))
            | (Reply::Unknown { own: true }, Told::Unknown(token)) => self.bound(*token, 0),
            (Reply::Renewed, Told::Renewed { until }) => {
                self.until = self.until.max(*until);
                current.is_some().then_some(self)
            }
            (Reply::Seen, Told::Seen { state, attempt, said }) => {
                let same = self.state() == (*state, said.as_ref());
                (same && *attempt == self.grants.len()).then_some(self)
            }
            (Reply::Refused(reason), Told::Refused(told)) => (reason == told).then_some(self),
            _ => None,
        }
    }

    /// The current token is told, and until when its lease is promised.
    fn bound(mut self, token: i64, until: Moment) -> Option<Self> {
        self.until = self.until.max(until);
        let last = self.grants.last_mut()?;
        (*last.token.get_or_insert(token) == token).then_some(self)
    }

    fn state(&self) -> (State, Option<&Said>) {
        match &self.standing {
            Standing::None => (State::Unspecified, None),
            Standing::Live => (State::InProgress, None),
            Standing::Over | Standing::Unknown => (State::Unknown, None),
            Standing::Released => (State::Released, None),
            Standing::Settled(said @ Said::Failed(_)) => (State::Failed, Some(said)),
            Standing::Settled(said) => (State::Succeeded, Some(said)),
        }
    }
}
