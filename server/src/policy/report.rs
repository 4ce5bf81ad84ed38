//! What the policies say, for people.
