//! One order over partitions of which each was read but a piece.

/// What is known of the order, and how far.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merged<P> {
    /// In order, each once.
    pub(super) places: Vec<P>,
    /// Past this one nothing is known yet; absent if all is.
    pub(super) until: Option<P>,
}

/// Pieces of at most `limit` places each, all in order: a piece that is full may go on.
pub(super) fn merge<P: Ord + Clone>(pieces: Vec<Vec<P>>, limit: usize) -> Merged<P> {
    let full = pieces.iter().filter(|piece| piece.len() >= limit);
    let until = full.filter_map(|piece| piece.last()).min().cloned();
    let known = |place: &P| until.as_ref().is_none_or(|until| place <= until);
    let mut places: Vec<_> = pieces.into_iter().flatten().filter(known).collect();
    places.sort_unstable();
    places.dedup();
    Merged { places, until }
}

#[cfg(test)]
mod tests;
