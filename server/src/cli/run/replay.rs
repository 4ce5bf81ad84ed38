//! A duplicate: the output and the exit code of the run that happened, given again.
//!
//! Runs nothing.

use std::io::Write;

use onced_proto::v1::{Completed, Content, ResultAbsence, completed::Outcome, content::Body};

use super::{End, tell};
use crate::cli::exit::Exit;

/// The parameter of the media type that holds the exit code.
const CODE: &str = "; onced-exit-code=";

/// A media type with the exit code that belongs to the output.
pub(super) fn with_code(kind: &str, code: u8) -> String {
    format!("{kind}{CODE}{code}")
}

/// The exit code in a media type.
fn code_in(content: &Content) -> Option<u8> {
    content.content_type.rsplit_once(CODE)?.1.parse().ok()
}

/// Gives again what is on record. Not for disputed outcomes.
pub(super) fn replay(completed: &Completed) -> End {
    let time = completed.complete_time.as_ref().map(ToString::to_string).unwrap_or_default();
    let (content, exit) = match &completed.outcome {
        Some(Outcome::Succeeded(succeeded)) => {
            tell(&format!("nothing was run: it succeeded before, at {time}"));
            if succeeded.result.is_none() {
                tell_absence(succeeded.result_absence());
            }
            (succeeded.result.as_ref(), Exit::Done)
        }
        Some(Outcome::Failed(failed)) => {
            tell(&format!("nothing was run: it failed before, at {time} ({})", failed.r#type));
            if failed.detail.is_none() && !failed.message.is_empty() {
                tell(&format!("of it: {}", failed.message));
            }
            (failed.detail.as_ref(), Exit::Failed)
        }
        None => return End::settled(Exit::Unknown, None),
    };
    let code = content.and_then(code_in).filter(|code| !Exit::is_of_run(*code));
    End::settled(exit, code).printed(content.map_or(Ok(()), print))
}

fn print(content: &Content) -> std::io::Result<()> {
    let bytes = match &content.body {
        Some(Body::Text(text)) => text.as_bytes(),
        Some(Body::Bytes(bytes)) => bytes,
        None => &[],
    };
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

fn tell_absence(absence: ResultAbsence) {
    let why = match absence {
        ResultAbsence::Unspecified | ResultAbsence::NoneGiven => return,
        ResultAbsence::Omitted => "it was left out, e.g. because it was too long",
        ResultAbsence::Expired => "it is no longer kept",
        ResultAbsence::NeverKnown => "it was never known here; see the provider",
        ResultAbsence::NotSent => "the server did not send it",
        ResultAbsence::Erased => "it was erased on request",
    };
    tell(&format!("its output is not here: {why}"));
}

#[cfg(test)]
mod tests;
