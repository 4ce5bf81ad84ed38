//! Side-by-side benchmarks of onced.
fn main() {}
