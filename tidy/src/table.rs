//! The table of crates in `ARCHITECTURE.md`, and the rules listed under it.
//!
//! Laws
//! 1. A row lists only rows above it, so that there are no cycles; `all` means all rows above.
//! 2. Core lists core only; foundation lists core and foundation only.
//! 3. `…` in a row stands for every crate of that folder without its own row.
//! 4. A row whose crate does not exist yet is marked `*planned*`, and no other row is.

use crate::complaint::Complaint;

/// The file that holds the table.
pub const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The rules of the architecture.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// The crates that all tests may use too.
    pub for_tests: Vec<String>,
    /// The folders of the crates that may have unsafe code.
    pub with_unsafe: Vec<String>,
    /// The public modules of core that a planned crate needs, as `crate::module`.
    pub kept_modules: Vec<String>,
}

/// One row: one crate, or several of the same kind.
#[derive(Clone, Debug)]
pub struct Row {
    /// The layer folder.
    pub folder: String,
    /// The names of its crates.
    pub names: Vec<String>,
    /// Whether it also stands for unnamed crates.
    pub is_open: bool,
    /// Whether its crates do not exist yet: `*planned*` behind the name.
    pub is_planned: bool,
    /// Their allowed dependencies.
    pub allowance: Allowance,
    /// Its line in the file.
    pub line: usize,
}

/// Allowed dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Exactly these crates.
    Only(Vec<String>),
    /// All rows above, except these.
    AllBut(Vec<String>),
}

impl Table {
    /// Reads the table out of the text of the architecture page.
    pub fn read(text: &str) -> Self {
        let mut table = Table::default();
        let mut is_inside = false;
        for (index, line) in text.lines().enumerate() {
            let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            if cells.first() == Some(&"folder") && cells.get(1) == Some(&"crate") {
                is_inside = true;
            } else if !line.starts_with('|') {
                is_inside = false;
            } else if is_inside && !cells[0].starts_with('-') {
                table.rows.extend(Row::read(&cells, index + 1));
            }
            if let Some(list) = line.strip_prefix("- Tests may also use:") {
                table.for_tests = list.split_whitespace().map(str::to_owned).collect();
            }
            if let Some(list) = line.strip_prefix("- Unsafe code may be in:") {
                table.with_unsafe = list.split_whitespace().map(str::to_owned).collect();
            }
            if let Some(list) = line.strip_prefix("- Core modules kept for planned crates:") {
                table.kept_modules = list.split_whitespace().map(str::to_owned).collect();
            }
        }
        table
    }

    /// The row of a crate.
    pub fn row(&self, folder: &str, name: &str) -> Option<usize> {
        let is_named = |row: &Row| row.folder == folder && row.names.iter().any(|own| own == name);
        let is_open = |row: &Row| row.folder == folder && row.is_open;
        self.rows.iter().position(is_named).or_else(|| self.rows.iter().position(is_open))
    }

    /// Whether the crates of a row may use a crate.
    pub fn allows(&self, row: usize, name: &str) -> bool {
        match &self.rows[row].allowance {
            Allowance::Only(names) => names.iter().any(|own| own == name),
            Allowance::AllBut(names) => {
                let is_named = |other: &Row| other.names.iter().any(|own| own == name);
                let has_no_row = !self.rows.iter().any(is_named);
                let is_above = self.rows[..row].iter().any(|other| is_named(other) || other.is_open && has_no_row);
                is_above && !names.iter().any(|own| own == name)
            }
        }
    }

    /// Errors in the table itself.
    pub fn complaints(&self) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        let mut complain = |line: usize, what: String| complaints.push(Complaint::at(ARCHITECTURE, line, what));
        if self.rows.is_empty() {
            complain(0, "there is no table with the columns folder, crate, question, may use".to_owned());
        }
        for (index, row) in self.rows.iter().enumerate() {
            let above = &self.rows[..index];
            for name in &row.names {
                if above.iter().any(|other| other.names.contains(name)) {
                    complain(row.line, format!("{name} has two rows"));
                }
            }
            let Allowance::Only(names) = &row.allowance else {
                continue;
            };
            for name in names {
                let Some(used) = above.iter().find(|other| other.names.contains(name)) else {
                    complain(row.line, format!("{name} is not a row above this one"));
                    continue;
                };
                let is_too_high = match row.folder.as_str() {
                    "core" => used.folder != "core",
                    "foundation" => used.folder != "core" && used.folder != "foundation",
                    _ => false,
                };
                if is_too_high {
                    complain(row.line, format!("{} may not use {}: {name} is above it", row.folder, used.folder));
                }
            }
        }
        complaints
    }
}

/// Marks a crate that does not exist yet.
const PLANNED: &str = "*planned*";

impl Row {
    fn read(cells: &[&str], line: usize) -> Option<Self> {
        let [folder, crates, _, may_use] = cells else {
            return None;
        };
        let list = |text: &str| -> Vec<String> {
            let is_separator = |char: char| char == ',' || char.is_whitespace();
            text.split(is_separator)
                .filter(|part| !matches!(*part, "" | "–" | "…" | PLANNED))
                .map(str::to_owned)
                .collect()
        };
        let allowance = match may_use.strip_prefix("all") {
            Some(rest) => Allowance::AllBut(list(rest.trim_start().strip_prefix("but").unwrap_or(""))),
            None => Allowance::Only(list(may_use)),
        };
        let (is_open, is_planned) = (crates.contains('…'), crates.contains(PLANNED));
        Some(Row { folder: (*folder).to_owned(), names: list(crates), is_open, is_planned, allowance, line })
    }
}
