//! Fleet as it is played: by two computers, and by a person's events.

mod common;

mod campaign;
mod matches;
mod orders;
mod sides;
