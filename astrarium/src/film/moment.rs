//! A moment of a film, as people write it: `1200`, or `2:1200` for that cycle in take 2; nothing for the end.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::film_error::FilmFault;

/// A moment of a film.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The take; none for the last that holds the cycle.
    pub take: Option<u16>,
    /// The brush cycle; none for the end.
    pub cycle: Option<u64>,
}

impl Moment {
    /// This cycle, in the last take that holds it.
    pub fn at(cycle: u64) -> Moment {
        Moment { take: None, cycle: Some(cycle) }
    }

    /// Parses a moment.
    pub fn read(text: &str) -> Result<Moment, Error> {
        let wrong = || Error::from(FilmFault::NotAMoment(text.to_string()));
        let (take, cycle) = match text.split_once(':') {
            Some((take, cycle)) => (Some(take.parse().map_err(|_| wrong())?), cycle),
            None => (None, text),
        };
        let cycle = if cycle.is_empty() { None } else { Some(cycle.parse().map_err(|_| wrong())?) };
        Ok(Moment { take, cycle })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.take, self.cycle) {
            (Some(take), Some(cycle)) => write!(formatter, "cycle {cycle} of take {take}"),
            (None, Some(cycle)) => write!(formatter, "cycle {cycle}"),
            (Some(take), None) => write!(formatter, "the end of take {take}"),
            (None, None) => formatter.write_str("the end"),
        }
    }
}

/// A film and a moment in it, as in `a.film@1200`; without a moment, the end.
pub fn split_path(path: &Path) -> Result<(PathBuf, Moment), Error> {
    let text = path.to_string_lossy();
    match text.rsplit_once('@') {
        // A file may have such a name.
        Some((file, moment)) if !path.exists() => Ok((PathBuf::from(file), Moment::read(moment)?)),
        _ => Ok((path.to_path_buf(), Moment::default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_parsed() {
        assert_eq!(Moment::read("1200").ok(), Some(Moment { take: None, cycle: Some(1200) }));
        assert_eq!(Moment::read("2:1200").ok(), Some(Moment { take: Some(2), cycle: Some(1200) }));
        assert_eq!(Moment::read("2:").ok(), Some(Moment { take: Some(2), cycle: None }));
        assert_eq!(Moment::read("").ok(), Some(Moment::default()));
        for wrong in ["x", "-1", "1:2:3", "1.5", "99999:1", "123456789012345678901234567890"] {
            assert!(Moment::read(wrong).is_err_and(|error| error.to_string().contains(wrong)), "{wrong}");
        }
    }

    #[test]
    fn a_path_is_split_into_film_and_moment() {
        let (path, moment) = split_path(Path::new("no such/a.film@7")).unwrap();
        assert_eq!((path, moment), (PathBuf::from("no such/a.film"), Moment::at(7)));
        assert!(split_path(Path::new("no such/a.film@x")).is_err());
    }
}
