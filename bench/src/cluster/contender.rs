//! Who takes part.

use serde::Serialize;

/// One kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Contender {
    /// The driver's conditional batch, and nothing else.
    Lwt,
    /// The same after the plain rows without which a record cannot be found again.
    LwtMarked,
    /// The same, the plain rows in one request.
    LwtTogether,
    /// A fresh Claim, asked of a keeper in this process.
    Fresh,
    /// A fresh Claim over gRPC.
    FreshCalled,
    /// A fresh Claim and the report of its success, over gRPC.
    Settle,
    /// A duplicate of what this server settled a moment ago, asked of a keeper.
    Warm,
    /// The same over gRPC.
    WarmCalled,
    /// A duplicate of what another replica settled, that says that it may be one.
    Cold,
    /// The same, of a caller who does not know.
    ColdUntold,
}

impl Contender {
    pub(super) const ALL: [Self; 10] = [
        Self::Lwt,
        Self::LwtMarked,
        Self::LwtTogether,
        Self::Fresh,
        Self::FreshCalled,
        Self::Settle,
        Self::Warm,
        Self::WarmCalled,
        Self::Cold,
        Self::ColdUntold,
    ];

    /// As it is called in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Lwt => "raw LWT",
            Self::LwtMarked => "raw LWT after its plain rows",
            Self::LwtTogether => "the same, rows in one request",
            Self::Fresh => "fresh claim, in process",
            Self::FreshCalled => "fresh claim, gRPC",
            Self::Settle => "claim + complete, gRPC",
            Self::Warm => "warm duplicate, in process",
            Self::WarmCalled => "warm duplicate, gRPC",
            Self::Cold => "cold duplicate, told so",
            Self::ColdUntold => "cold duplicate, untold",
        }
    }
}
