//! The canonical form of a JSON text: RFC 8785, for I-JSON (RFC 7493) alone.
//!
//! Never repairs a text: what two readers could take for different values is refused.

use std::{cmp::Ordering, fmt, ops::Range};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Largest whole number of which every reader has the same idea: 2^53.
const WHOLE_MAX: u64 = 1 << 53;
/// From here on a number is written with an exponent, so that nobody takes it for an exact one.
const EXPONENT_FROM: f64 = 1e21;
/// Digits of the longest whole numbers below that.
const WHOLE_DIGITS_MAX: usize = 20;
/// What is wrong with larger ones.
const BEYOND: &str = "a whole number beyond 2^53 is not exact everywhere; send it as a string";

/// The canonical form, or why there is none, as the end of a sentence about the text.
///
/// Values may stand at most 127 deep in each other: the reader's own limit, which keeps the stack.
pub(super) fn canonical(text: &str) -> Result<Vec<u8>, String> {
    let mut written = Vec::with_capacity(text.len());
    let mut reader = serde_json::Deserializer::from_str(text);
    Value(&mut written)
        .deserialize(&mut reader)
        .and_then(|()| reader.end())
        .map_err(|error| format!("is not I-JSON: {error}"))?;
    if holds_endless_whole_number(text) {
        return Err(format!("is not I-JSON: {BEYOND}"));
    }
    Ok(written)
}

/// Reads one value and appends its canonical form.
struct Value<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        write_whole(self.0, &value.to_string(), value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        write_whole(self.0, &value.to_string(), value.unsigned_abs())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        write_number(self.0, value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        write_text(self.0, value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let first = self.0.len();
        loop {
            let end = self.0.len();
            if end > first {
                self.0.push(b',');
            }
            if elements.next_element_seed(Value(self.0))?.is_none() {
                self.0.truncate(end);
                self.0.push(b']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let start = self.0.len();
        let mut found = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            let begin = self.0.len();
            members.next_value_seed(Value(self.0))?;
            found.push(Member { name, value: begin..self.0.len() });
        }
        let values = self.0.split_off(start);
        write_object(self.0, found, start, &values)
    }
}

/// A member of an object, its value already in canonical form.
struct Member {
    name: String,
    value: Range<usize>,
}

fn write_object<E: Error>(
    written: &mut Vec<u8>,
    mut members: Vec<Member>,
    start: usize,
    values: &[u8],
) -> Result<(), E> {
    members.sort_unstable_by(|a, b| by_code_units(&a.name, &b.name));
    if members.windows(2).any(|pair| pair[0].name == pair[1].name) {
        return Err(E::custom("an object has two members of the same name"));
    }
    let mut before: &[u8] = b"{";
    for Member { name, value } in &members {
        written.extend_from_slice(before);
        write_text(written, name)?;
        written.push(b':');
        written.extend_from_slice(&values[value.start - start..value.end - start]);
        before = b",";
    }
    written.extend_from_slice(if members.is_empty() { b"{}" } else { b"}" });
    Ok(())
}

/// UTF-16 code units: not the order of code points beyond the basic plane.
fn by_code_units(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The escapes of serde_json are those of ECMAScript, and so those of RFC 8785.
fn write_text<E: Error>(written: &mut Vec<u8>, text: &str) -> Result<(), E> {
    serde_json::to_writer(written, text).map_err(E::custom)
}

fn write_whole<E: Error>(written: &mut Vec<u8>, digits: &str, size: u64) -> Result<(), E> {
    if size > WHOLE_MAX {
        return Err(E::custom(BEYOND));
    }
    written.extend_from_slice(digits.as_bytes());
    Ok(())
}

/// As ECMAScript writes it. A whole number that would be written out in digits must be exact.
#[expect(clippy::cast_precision_loss, reason = "2^53 is exact")]
fn write_number<E: Error>(written: &mut Vec<u8>, value: f64) -> Result<(), E> {
    let size = value.abs();
    if size > WHOLE_MAX as f64 && size < EXPONENT_FROM {
        return Err(E::custom(BEYOND));
    }
    written.extend_from_slice(ryu_js::Buffer::new().format(value).as_bytes());
    Ok(())
}

/// Whether a well-formed text holds a whole number written out in more digits than `write_number`
/// can tell from a power of ten.
fn holds_endless_whole_number(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(&byte) = rest.first() {
        let length = match byte {
            b'"' => quoted_length(rest),
            b'0'..=b'9' => number_length(rest),
            _ => 1,
        };
        let (token, after) = rest.split_at(length);
        if length > WHOLE_DIGITS_MAX && token.iter().all(u8::is_ascii_digit) {
            return true;
        }
        rest = after;
    }
    false
}

fn quoted_length(text: &[u8]) -> usize {
    let mut length = 1;
    while text.get(length).is_some_and(|&byte| byte != b'"') {
        length += if text[length] == b'\\' { 2 } else { 1 };
    }
    text.len().min(length + 1)
}

fn number_length(text: &[u8]) -> usize {
    let part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    text.iter().take_while(part).count()
}
