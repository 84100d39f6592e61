//! The tables of the book, for tests that compare them with the code.

/// The cells of the rows of the table that begins with this row.
pub fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| *line != head).skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let row = row.strip_prefix('|').and_then(|row| row.strip_suffix('|')).unwrap_or(row);
        row.split('|').map(|cell| cell.trim().to_string()).collect()
    };
    rows.map(cells).collect()
}
