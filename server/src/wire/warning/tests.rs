use uuid::Uuid;

use super::*;

/// 2025-11-30T16:00:00Z
const NOW: Timestamp = Timestamp(1_764_518_400_000_000);
const CLAIMANT: Claimant = Claimant(Uuid::from_u128(0x0191_e9b4_7a2c_4c3e_9f00_0000_0000_00ab));
const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn warned(key: &str) -> Vec<WarningType> {
    let warnings = key_warnings(key, CLAIMANT, Some(TRACE), NOW);
    warnings.into_iter().map(|warning| warning.r#type()).collect()
}

#[test]
fn a_key_with_this_calls_own_id_is_noticed_in_every_usual_form() {
    for key in [
        "charge:v1:0191e9b4-7a2c-4c3e-9f00-0000000000ab",
        "charge:v1:0191E9B4-7A2C-4C3E-9F00-0000000000AB",
        "charge:v1:0191e9b47a2c4c3e9f000000000000ab",
        "{0191e9b4-7a2c-4c3e-9f00-0000000000ab}",
        "urn:uuid:0191e9b4-7a2c-4c3e-9f00-0000000000ab",
        "trace-4bf92f3577b34da6a3ce929d0e0e4736",
    ] {
        assert_eq!(warned(key), [WarningType::KeyHasCallId], "{key}");
    }
}

#[test]
fn a_key_with_the_time_of_the_call_is_noticed() {
    for key in [
        "charge:1764518400",
        "charge:1764518999-x",
        "1764517801234",
        "o_1764518400123456",
        "o1764518400123456789",
        "charge:2025-11-30T16:05:00Z",
        "charge:2025-11-30 15:55:00.123",
        "charge:2025-11-30T18:05:00+02:00",
        "charge:2025-11-30T10:30:00.5-05:30",
    ] {
        assert_eq!(warned(key), [WarningType::KeyHasClock], "{key}");
    }
}

#[test]
fn healthy_keys_raise_no_warning() {
    for key in [
        "charge:v1:order-42",
        "charge:v1:6f1c2b7e-9c3d-4a55-8a61-0c9f6a1b2c3d",
        // A day, an hour away, a longer run of digits, a time of last year.
        "invoice:2025-11-30",
        "1764514800",
        "17645184001",
        "91764518400",
        "charge:2024-11-30T16:00:00Z",
        "charge:2025-11-30T16:00:00+02:00",
        "9999-99-99T99:99:99",
        "ключ:заказ-42",
        "2025-11-30T16:0é",
    ] {
        assert_eq!(warned(key), [], "{key}");
    }
}
