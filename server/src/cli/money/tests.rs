use super::*;

fn money(units: i64, nanos: i32) -> Money {
    Money { currency_code: "EUR".to_owned(), units, nanos }
}

#[test]
fn amounts_are_read_to_the_last_decimal() {
    for (text, expected) in [
        ("12.34 EUR", money(12, 340_000_000)),
        ("12 EUR", money(12, 0)),
        ("0.000000001 EUR", money(0, 1)),
        ("-12.5 EUR", money(-12, -500_000_000)),
        ("-0.5 EUR", money(0, -500_000_000)),
        ("9223372036854775807 EUR", money(i64::MAX, 0)),
    ] {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_amount_is_refused_and_never_rounded() {
    for text in [
        "12.34",
        "EUR 12.34",
        "12.34 eur",
        "12.34 EURO",
        "12,34 EUR",
        "1.2.3 EUR",
        ".5 EUR",
        "5. EUR",
        "--5 EUR",
        "+5 EUR",
        "1e3 EUR",
        "0.0000000001 EUR",
        "9223372036854775808 EUR",
        " EUR",
        "",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn amounts_are_shown_as_they_are_typed() {
    for text in ["12.34 EUR", "12 EUR", "-0.50 EUR", "12.50 EUR", "0.000000001 EUR"] {
        assert_eq!(show(&parse(text).unwrap()), text);
    }
}
