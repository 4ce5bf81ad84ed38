//! Reports and the answers they got, on disk.

use onced_proto::store::v1::{self as layout, report};

use super::{
    super::{Answer, NotAppliedReason, Report, Said},
    field::{Fault, digest, digest_bytes, required, time, token},
};

impl From<&Report> for layout::Report {
    fn from(report: &Report) -> Self {
        Self {
            token: Some(report.token.0),
            said: Some((&report.said).into()),
            digest: digest_bytes(&report.digest),
            answer: layout::Answer::from(report.answer).into(),
            time_micros: Some(report.time.0),
            refuted: report.refuted,
        }
    }
}

impl TryFrom<layout::Report> for Report {
    type Error = Fault;

    fn try_from(cell: layout::Report) -> Result<Self, Fault> {
        Ok(Self {
            token: token(cell.token, "a report's token is missing or not positive")?,
            said: required(cell.said, "what a report said is missing")?.try_into()?,
            digest: digest(&cell.digest, "a report's digest is not one")?,
            answer: answer_from(cell.answer)?,
            time: time(cell.time_micros, "a report's time is missing")?,
            refuted: cell.refuted,
        })
    }
}

impl From<&Said> for report::Said {
    fn from(said: &Said) -> Self {
        match said {
            Said::Succeeded(success) => Self::Succeeded(success.into()),
            Said::Failed(failure) => Self::Failed(failure.into()),
            Said::Unknown => Self::Unknown(layout::NotKnown {}),
            Said::Released(reason) => {
                Self::Released(layout::NotAppliedReason::from(*reason).into())
            }
        }
    }
}

impl TryFrom<report::Said> for Said {
    type Error = Fault;

    fn try_from(cell: report::Said) -> Result<Self, Fault> {
        Ok(match cell {
            report::Said::Succeeded(success) => Self::Succeeded(success.try_into()?),
            report::Said::Failed(failure) => Self::Failed(failure.try_into()?),
            report::Said::Unknown(layout::NotKnown {}) => Self::Unknown,
            report::Said::Released(reason) => Self::Released(reason_from(reason)?),
        })
    }
}

impl From<NotAppliedReason> for layout::NotAppliedReason {
    fn from(reason: NotAppliedReason) -> Self {
        match reason {
            NotAppliedReason::NotStarted => Self::NotStarted,
            NotAppliedReason::RejectedByTarget => Self::RejectedByTarget,
            NotAppliedReason::RolledBack => Self::RolledBack,
        }
    }
}

fn reason_from(cell: i32) -> Result<NotAppliedReason, Fault> {
    match layout::NotAppliedReason::try_from(cell) {
        Ok(layout::NotAppliedReason::NotStarted) => Ok(NotAppliedReason::NotStarted),
        Ok(layout::NotAppliedReason::RejectedByTarget) => Ok(NotAppliedReason::RejectedByTarget),
        Ok(layout::NotAppliedReason::RolledBack) => Ok(NotAppliedReason::RolledBack),
        Ok(layout::NotAppliedReason::Unspecified) | Err(_) => {
            Err(Fault("the reason of a release is none that is known"))
        }
    }
}

impl From<Answer> for layout::Answer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Recorded { late: false } => Self::Recorded,
            Answer::Recorded { late: true } => Self::RecordedLate,
            Answer::Conflict => Self::Conflict,
            Answer::Fenced => Self::Fenced,
        }
    }
}

fn answer_from(cell: i32) -> Result<Answer, Fault> {
    match layout::Answer::try_from(cell) {
        Ok(layout::Answer::Recorded) => Ok(Answer::Recorded { late: false }),
        Ok(layout::Answer::RecordedLate) => Ok(Answer::Recorded { late: true }),
        Ok(layout::Answer::Conflict) => Ok(Answer::Conflict),
        Ok(layout::Answer::Fenced) => Ok(Answer::Fenced),
        Ok(layout::Answer::Unspecified) | Err(_) => {
            Err(Fault("the answer to a report is none that is known"))
        }
    }
}
