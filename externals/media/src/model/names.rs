//! Names of things in a scene: unique, and of letters that tags accept.

use std::collections::BTreeSet;

/// Names that were given already.
#[derive(Default)]
pub struct NameTable {
    given: BTreeSet<String>,
}

impl NameTable {
    /// The name itself, or with the first free number behind it. Numbers are found by doubling steps, so that many equal
    /// names cost little.
    pub fn unique(&mut self, name: &str, otherwise: &str, separator: &str) -> String {
        // A text that begins so would be taken for a reference.
        let name = name.trim_start_matches("./");
        let name = if name.is_empty() { otherwise } else { name };
        if self.given.insert(name.to_string()) {
            return name.to_string();
        }
        let with = |number: u64| format!("{name}{separator}{number}");
        let mut high = 1_u64;
        while self.given.contains(&with(high)) {
            high *= 2;
        }
        // All numbers up to the half of it are taken, as they are given in order; a few above may be free.
        let mut low = high / 2 + 1;
        while low < high {
            let middle = low + (high - low) / 2;
            if self.given.contains(&with(middle)) { low = middle + 1 } else { high = middle }
        }
        let name = with(high);
        self.given.insert(name.clone());
        name
    }
}

/// A name as a part of the path of a tag: lower case letters, digits, `_` and `-`.
pub fn path_name(name: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '_' | '-' => letter,
        'A'..='Z' => letter.to_ascii_lowercase(),
        _ => '_',
    };
    name.chars().take(60).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_get_numbers() {
        let mut table = NameTable::default();
        let given: Vec<String> =
            ["arm", "arm", "arm", "", "arm.1", "leg", ""].map(|name| table.unique(name, "node", ".")).to_vec();
        assert_eq!(given, ["arm", "arm.1", "arm.2", "node", "arm.1.1", "leg", "node.1"]);
        for _ in 0..10_000 {
            table.unique("arm", "node", ".");
        }
        assert_eq!(table.unique("arm", "node", "."), "arm.10003");
        assert_eq!(path_name("Hull Plate.001/é"), "hull_plate_001__");
    }
}
