//! Amounts as they are typed and shown: `12.34 EUR`.
//!
//! Never rounds: what does not fit is refused.

use onced_proto::v1::Money;

const NANO_DIGITS: usize = 9;
const FORM: &str = "write it like \"12.34 EUR\"";

/// Reads `12.34 EUR` or `-0.5 USD`.
pub(super) fn parse(text: &str) -> Result<Money, String> {
    let (number, currency) = text.trim().rsplit_once(' ').ok_or(FORM)?;
    if currency.len() != 3 || !currency.bytes().all(|b| b.is_ascii_uppercase()) {
        return Err(format!("the currency is three capital letters; {FORM}"));
    }
    let (negative, number) = match number.trim_end().strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number.trim_end()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let units = digits(whole)?.parse::<i64>().map_err(|_| "has too many digits".to_owned())?;
    let nanos = nanos(digits(fraction)?)?;
    let sign = if negative { -1 } else { 1 };
    Ok(Money {
        currency_code: currency.to_owned(),
        units: units * i64::from(sign),
        nanos: nanos * sign,
    })
}

fn digits(text: &str) -> Result<&str, String> {
    let valid = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if valid { Ok(text) } else { Err(FORM.to_owned()) }
}

fn nanos(fraction: &str) -> Result<i32, String> {
    if fraction.len() > NANO_DIGITS {
        return Err(format!("has more than {NANO_DIGITS} decimals"));
    }
    format!("{fraction:0<NANO_DIGITS$}").parse().map_err(|_| FORM.to_owned())
}

/// For people: `12.34 EUR`, at least two decimals if there are any.
pub(super) fn show(money: &Money) -> String {
    let sign = if money.units < 0 || money.nanos < 0 { "-" } else { "" };
    let units = money.units.unsigned_abs();
    let currency = super::page::visible(&money.currency_code);
    if money.nanos == 0 {
        return format!("{sign}{units} {currency}");
    }
    let nanos = format!("{:09}", money.nanos.unsigned_abs());
    let fraction = nanos.trim_end_matches('0');
    format!("{sign}{units}.{fraction:0<2} {currency}")
}

#[cfg(test)]
mod tests;
