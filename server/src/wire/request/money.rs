//! Amounts of money.

use onced_proto::v1;

use super::Faults;
use crate::record::Money;

const NANOS_MAX: i32 = 999_999_999;

/// Judges an amount.
pub(super) fn money(faults: &mut Faults, path: &str, given: v1::Money) -> Money {
    let code = &given.currency_code;
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        faults.note(&format!("{path}.currency_code"), "is not three upper-case letters");
    }
    if !(-NANOS_MAX..=NANOS_MAX).contains(&given.nanos) {
        faults.note(&format!("{path}.nanos"), "lies outside -999 999 999 to 999 999 999");
    } else if given.units.signum() * i64::from(given.nanos.signum()) < 0 {
        faults.note(&format!("{path}.nanos"), "has another sign than units");
    }
    Money { currency_code: given.currency_code, units: given.units, nanos: given.nanos }
}
