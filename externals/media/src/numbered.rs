//! Numbered files: `fire.0001.png` and `shot_01.wav` are followed by others of the same name and the next number.

/// A name that ends in a number, behind a dot or an underscore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered<'a> {
    before: &'a str,
    number: u64,
    digits: usize,
    extension: &'a str,
}

impl Numbered<'_> {
    /// Reads a name; `None` if it is not numbered.
    #[must_use]
    pub fn read(name: &str) -> Option<Numbered<'_>> {
        let (stem, extension) = name.rsplit_once('.')?;
        let digits = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (before, number) = stem.split_at(stem.len() - digits);
        if !before.ends_with(['.', '_']) || digits > 9 {
            return None;
        }
        Some(Numbered { before, number: number.parse().ok()?, digits, extension })
    }

    /// The name of a later file.
    #[must_use]
    pub fn later(&self, files: u64) -> String {
        let Numbered { before, number, digits, extension } = self;
        format!("{before}{:0digits$}.{extension}", number + files)
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn the_next_name_keeps_its_digits() {
        let later = |name: &'static str| Numbered::read(name).map(|numbered| numbered.later(1));
        assert_eq!(later("fire.0009.png").as_deref(), Some("fire.0010.png"));
        assert_eq!(later("shot_9.wav").as_deref(), Some("shot_10.wav"));
        for name in ["fire.png", "fire9.png", "fire_.png", "fire_1234567890.png", "_", ""] {
            assert_eq!(later(name), None, "{name}");
        }
    }
}
