//! Suggestions for misspelt words.

/// The help text for an unknown word.
pub fn advice(word: &str, known: &[&str]) -> String {
    let limit = (word.chars().count() / 2).clamp(1, 3);
    let closest = known.iter().map(|other| (distance(word, other), other)).min();
    match closest {
        Some((score, other)) if score <= limit => format!("did you mean `{other}`?"),
        _ => format!("there are {}", known.join(", ")),
    }
}

/// The edit distance (Levenshtein 1966). The words are identifiers, and short.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let exchange = above[column] + usize::from(letter != *other);
            current.push(exchange.min(above[column + 1] + 1).min(current[column] + 1));
        }
        above = current;
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_finds_the_right_one() {
        let known = ["range", "read_only", "replicated"];
        assert_eq!(advice("rnge", &known), "did you mean `range`?");
        assert_eq!(advice("readonly", &known), "did you mean `read_only`?");
        assert_eq!(advice("colour", &known), "there are range, read_only, replicated");
    }
}
