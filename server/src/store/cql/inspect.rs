//! Looks at a cluster before it is served: with a session of its own, which is closed again.
//!
//! Changes nothing.

use scylla::client::session::Session;

use super::{
    checks::{self, Findings},
    connect::{self, ConnectError},
    facts::{self, Facts, Keyspace, Unanswered},
    migrate::versions::Versions,
    options::Options,
};

/// Why a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// There is no session.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A node did not answer.
    #[error("the cluster did not answer about {0}")]
    Silent(String),
    /// Somebody else is changing the tables.
    #[error("another onced migrate is at it; ask again")]
    Busy,
    /// Records would not be safe there. Everything that is wrong.
    #[error("{}", listed(.0))]
    Refused(Vec<String>),
}

impl From<Unanswered> for Unfit {
    fn from(unanswered: Unanswered) -> Self {
        Self::Silent(unanswered.to_string())
    }
}

fn listed(refusals: &[String]) -> String {
    match refusals {
        [one] => one.clone(),
        all => format!("refused for {} reasons:\n{}", all.len(), all.join("\n")),
    }
}

/// Whether a server can stand on this cluster; what a person should know about it.
pub async fn inspect(options: &Options) -> Result<Vec<String>, Unfit> {
    let session = session(options).await?;
    let facts = facts::gather(&session, &options.keyspace).await?;
    let Some(keyspace) = &facts.keyspace else {
        return Err(Unfit::Refused(vec![format!(
            "keyspace {} is not there: run onced migrate",
            options.keyspace
        )]));
    };
    whole(&session, &facts, keyspace, options).await
}

/// A session that has nodes to ask.
pub(super) async fn session(options: &Options) -> Result<Session, Unfit> {
    let session = connect::connect(options).await?;
    match checks::absent_datacenter(&facts::nodes(&session), options) {
        Some(why) => Err(Unfit::Refused(vec![why])),
        None => Ok(session),
    }
}

/// Everything that is wrong with cluster, keyspace and tables; else the warnings.
pub(super) async fn whole(
    session: &Session,
    facts: &Facts,
    keyspace: &Keyspace,
    options: &Options,
) -> Result<Vec<String>, Unfit> {
    let version = Versions::of(session, options).read_if_there(keyspace).await?;
    let of_cluster = checks::of_cluster(facts, keyspace, options);
    fit([of_cluster, checks::of_tables(keyspace, version)])
}

/// The warnings, if nothing is refused.
pub(super) fn fit(found: impl IntoIterator<Item = Findings>) -> Result<Vec<String>, Unfit> {
    let (mut refusals, mut warnings) = (Vec::new(), Vec::new());
    for findings in found {
        refusals.extend(findings.refusals);
        warnings.extend(findings.warnings);
    }
    if refusals.is_empty() { Ok(warnings) } else { Err(Unfit::Refused(refusals)) }
}
