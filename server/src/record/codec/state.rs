//! Where a record stands, on disk: its state and its settlement.

use onced_proto::store::v1::{self as layout, record::State as StateCell, settlement};

use super::{
    super::{Outcome, Settlement, Source, State, UnknownCause},
    field::{Fault, required, time},
};

impl From<&State> for StateCell {
    fn from(state: &State) -> Self {
        match state {
            State::Claimed => Self::Claimed(layout::Claimed {}),
            State::Unknown(cause) => Self::Unknown(layout::UnknownCause::from(*cause).into()),
            State::Released => Self::Released(layout::Released {}),
            State::Settled(settlement) => Self::Settled(settlement.into()),
        }
    }
}

impl TryFrom<StateCell> for State {
    type Error = Fault;

    fn try_from(cell: StateCell) -> Result<Self, Fault> {
        Ok(match cell {
            StateCell::Claimed(layout::Claimed {}) => Self::Claimed,
            StateCell::Unknown(cause) => Self::Unknown(cause_from(cause)?),
            StateCell::Released(layout::Released {}) => Self::Released,
            StateCell::Settled(settlement) => Self::Settled(settlement.try_into()?),
        })
    }
}

impl From<UnknownCause> for layout::UnknownCause {
    fn from(cause: UnknownCause) -> Self {
        match cause {
            UnknownCause::Reported => Self::Reported,
            UnknownCause::EarlierAttempt => Self::EarlierAttempt,
        }
    }
}

fn cause_from(cell: i32) -> Result<UnknownCause, Fault> {
    match layout::UnknownCause::try_from(cell) {
        Ok(layout::UnknownCause::Reported) => Ok(UnknownCause::Reported),
        Ok(layout::UnknownCause::EarlierAttempt) => Ok(UnknownCause::EarlierAttempt),
        Ok(layout::UnknownCause::Unspecified) | Err(_) => {
            Err(Fault("the cause of its unknown is none that is known"))
        }
    }
}

impl From<&Settlement> for layout::Settlement {
    fn from(settlement: &Settlement) -> Self {
        Self {
            outcome: Some((&settlement.outcome).into()),
            attempt: Some(settlement.attempt),
            complete_time_micros: Some(settlement.complete_time.0),
            source: layout::Source::from(settlement.source).into(),
            late: settlement.late,
        }
    }
}

impl TryFrom<layout::Settlement> for Settlement {
    type Error = Fault;

    fn try_from(cell: layout::Settlement) -> Result<Self, Fault> {
        Ok(Self {
            outcome: required(cell.outcome, "its outcome is missing")?.try_into()?,
            attempt: required(cell.attempt, "the attempt of its outcome is missing")?,
            complete_time: time(cell.complete_time_micros, "the time of its outcome is missing")?,
            source: source_from(cell.source)?,
            late: cell.late,
        })
    }
}

impl From<&Outcome> for settlement::Outcome {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Succeeded(success) => Self::Succeeded(success.into()),
            Outcome::Failed(failure) => Self::Failed(failure.into()),
        }
    }
}

impl TryFrom<settlement::Outcome> for Outcome {
    type Error = Fault;

    fn try_from(cell: settlement::Outcome) -> Result<Self, Fault> {
        Ok(match cell {
            settlement::Outcome::Succeeded(success) => Self::Succeeded(success.try_into()?),
            settlement::Outcome::Failed(failure) => Self::Failed(failure.try_into()?),
        })
    }
}

impl From<Source> for layout::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Holder => Self::Holder,
            Source::Reconciliation => Self::Reconciliation,
            Source::Operator => Self::Operator,
        }
    }
}

fn source_from(cell: i32) -> Result<Source, Fault> {
    match layout::Source::try_from(cell) {
        Ok(layout::Source::Holder) => Ok(Source::Holder),
        Ok(layout::Source::Reconciliation) => Ok(Source::Reconciliation),
        Ok(layout::Source::Operator) => Ok(Source::Operator),
        Ok(layout::Source::Unspecified) | Err(_) => {
            Err(Fault("the source of its outcome is none that is known"))
        }
    }
}
