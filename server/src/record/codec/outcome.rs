//! What a success and a failure carry, on disk.

use onced_proto::store::v1::{self as layout, ResultAbsence, success};

use super::{
    super::{Content, ContentInfo, Failure, Money, ResultKind, Success},
    field::{Fault, digest, digest_bytes, required},
};

/// Most billionths of a unit, of either sign.
const NANOS_MAX: u32 = 999_999_999;

impl From<&Success> for layout::Success {
    fn from(success: &Success) -> Self {
        Self {
            result: Some((&success.result).into()),
            amount: success.amount.as_ref().map(Into::into),
            provider_reference: success.provider_reference.clone(),
        }
    }
}

impl TryFrom<layout::Success> for Success {
    type Error = Fault;

    fn try_from(cell: layout::Success) -> Result<Self, Fault> {
        Ok(Self {
            result: required(cell.result, "the result of a success is missing")?.try_into()?,
            amount: cell.amount.map(TryInto::try_into).transpose()?,
            provider_reference: cell.provider_reference,
        })
    }
}

impl From<&ResultKind> for success::Result {
    fn from(kind: &ResultKind) -> Self {
        let absence = match kind {
            ResultKind::Given(info) => return Self::Given(info.into()),
            ResultKind::NoneGiven => ResultAbsence::NoneGiven,
            ResultKind::Omitted => ResultAbsence::Omitted,
            ResultKind::NeverKnown => ResultAbsence::NeverKnown,
            ResultKind::Erased => ResultAbsence::Erased,
        };
        Self::Absent(absence.into())
    }
}

impl TryFrom<success::Result> for ResultKind {
    type Error = Fault;

    fn try_from(cell: success::Result) -> Result<Self, Fault> {
        match cell {
            success::Result::Given(info) => info.try_into().map(Self::Given),
            success::Result::Absent(absence) => absence_from(absence),
        }
    }
}

fn absence_from(cell: i32) -> Result<ResultKind, Fault> {
    match ResultAbsence::try_from(cell) {
        Ok(ResultAbsence::NoneGiven) => Ok(ResultKind::NoneGiven),
        Ok(ResultAbsence::Omitted) => Ok(ResultKind::Omitted),
        Ok(ResultAbsence::NeverKnown) => Ok(ResultKind::NeverKnown),
        Ok(ResultAbsence::Erased) => Ok(ResultKind::Erased),
        Ok(ResultAbsence::Unspecified) | Err(_) => {
            Err(Fault("the absence of a result is of no kind that is known"))
        }
    }
}

impl From<&ContentInfo> for layout::ContentInfo {
    fn from(info: &ContentInfo) -> Self {
        Self {
            length: Some(info.length),
            digest: digest_bytes(&info.digest),
            content_type: info.content_type.clone(),
            text: info.text,
        }
    }
}

impl TryFrom<layout::ContentInfo> for ContentInfo {
    type Error = Fault;

    fn try_from(cell: layout::ContentInfo) -> Result<Self, Fault> {
        Ok(Self {
            length: required(cell.length, "the length of a result is missing")?,
            digest: digest(&cell.digest, "the digest of a result is not one")?,
            content_type: cell.content_type,
            text: cell.text,
        })
    }
}

impl From<&Content> for layout::Content {
    fn from(content: &Content) -> Self {
        Self {
            body: Some(content.body.clone()),
            text: content.text,
            content_type: content.content_type.clone(),
        }
    }
}

impl TryFrom<layout::Content> for Content {
    type Error = Fault;

    fn try_from(cell: layout::Content) -> Result<Self, Fault> {
        Ok(Self {
            body: required(cell.body, "the body of a detail is missing")?,
            text: cell.text,
            content_type: cell.content_type,
        })
    }
}

impl From<&Failure> for layout::Failure {
    fn from(failure: &Failure) -> Self {
        Self {
            kind: failure.kind.clone(),
            message: failure.message.clone(),
            detail: failure.detail.as_ref().map(Into::into),
            provider_reference: failure.provider_reference.clone(),
        }
    }
}

impl TryFrom<layout::Failure> for Failure {
    type Error = Fault;

    fn try_from(cell: layout::Failure) -> Result<Self, Fault> {
        Ok(Self {
            kind: cell.kind,
            message: cell.message,
            detail: cell.detail.map(TryInto::try_into).transpose()?,
            provider_reference: cell.provider_reference,
        })
    }
}

impl From<&Money> for layout::Money {
    fn from(money: &Money) -> Self {
        Self { currency_code: money.currency_code.clone(), units: money.units, nanos: money.nanos }
    }
}

impl TryFrom<layout::Money> for Money {
    type Error = Fault;

    fn try_from(cell: layout::Money) -> Result<Self, Fault> {
        if cell.nanos.unsigned_abs() > NANOS_MAX {
            return Err(Fault("the nanos of an amount are out of range"));
        }
        Ok(Self { currency_code: cell.currency_code, units: cell.units, nanos: cell.nanos })
    }
}
