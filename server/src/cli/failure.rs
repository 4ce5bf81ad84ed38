//! What went wrong, printed on standard error: a refusal of the server, or a fault on this side.

use std::io::{IsTerminal, Write};

use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::{
    connection::Output,
    exit::{Exit, reason},
    json,
    page::{Page, Tone},
    serve::{Broken, Unobtainable},
    span,
};

mod advice;

/// A refusal on its way to the top: printed already, or to be printed there.
#[derive(Debug, thiserror::Error)]
#[error("{}", status.message())]
pub(super) struct Refusal {
    /// What the server said.
    pub(super) status: Status,
    /// How to print it.
    pub(super) output: Output,
}

/// Prints a refusal with `steps` to take; without any, with what its reason advises.
pub(super) fn print(output: Output, status: &Status, steps: Vec<String>) -> anyhow::Result<()> {
    match output {
        Output::Json => write(&format!("{}\n", json::render_status(status)?)),
        Output::Text => {
            let page = page(status);
            let page = if steps.is_empty() {
                advice::of(status).into_iter().fold(page, Page::next)
            } else {
                steps.into_iter().fold(page, Page::next)
            };
            write_page(&page);
        }
    }
    Ok(())
}

/// Prints whatever ended a command, and answers with the exit code.
pub(super) fn report(fault: &anyhow::Error) -> Exit {
    if let Some(refusal) = fault.downcast_ref::<Refusal>() {
        let printed = print(refusal.output, &refusal.status, Vec::new());
        return printed.map_or(Exit::Refused, |()| Exit::of_status(&refusal.status));
    }
    for line in format!("{fault:#}").lines() {
        write(&format!("onced: {}\n", super::page::visible(line)));
    }
    exit_of(fault)
}

/// Whatever is not told apart is a wrong argument or file.
fn exit_of(fault: &anyhow::Error) -> Exit {
    if fault.is::<Unobtainable>() {
        Exit::Unavailable
    } else if fault.is::<Broken>() || fault.is::<super::Unprintable>() {
        Exit::Refused
    } else {
        Exit::Usage
    }
}

fn page(status: &Status) -> Page {
    let (word, tone) = match Exit::of_status(status) {
        Exit::Unavailable => ("unavailable", Tone::Doubt),
        Exit::Usage => ("invalid", Tone::Bad),
        _ => ("refused", Tone::Bad),
    };
    let page = Page::new(tone, word, status.message())
        .row("reason", Some(reason(status).unwrap_or_else(|| code_name(status.code()))));
    details(page, status)
}

fn details(mut page: Page, status: &Status) -> Page {
    let details = status.get_error_details();
    for violation in details.bad_request().map_or(&[][..], |bad| &bad.field_violations) {
        page = page.row("field", Some(format!("{}: {}", violation.field, violation.description)));
    }
    let mut facts: Vec<_> =
        details.error_info().map(|info| &info.metadata).into_iter().flatten().collect();
    facts.sort();
    for (name, value) in facts {
        page = page.row("detail", Some(format!("{name} = {value}")));
    }
    let delay = details.retry_info().and_then(|info| info.retry_delay).map(span::to_wire);
    page.row("ask again in", span::show(delay.as_ref()))
}

/// A code as gRPC names it.
pub(super) fn code_name(code: Code) -> String {
    format!("{code:?}").chars().fold(String::new(), |mut name, c| {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
        name
    })
}

/// Prints a page on standard error.
pub(super) fn write_page(page: &Page) {
    write(&page.render(super::is_coloured(std::io::stderr().is_terminal())));
}

/// There is nothing left to do if standard error itself is gone.
pub(super) fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests;
