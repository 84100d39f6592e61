//! Former names: which value of a text supplies a field if the class has changed since the text was written.
//!
//! Laws
//! 1. A former name applies to files of versions before [`Former::before`]; with 0, to files of any version, unless a
//!    field has that name today.
//! 2. Where both today's name and a former one are given, today's counts, unless the name belonged to another field in
//!    files of that version: two fields that swapped their names find their values.
//! 3. One value may supply several fields: this is how a field is split.
//! 4. Of several meanings of one name, the one of the file's version counts: that with the smallest [`Former::before`]
//!    above it, in whatever order the class lists them. Each conversion yields today's value; conversions are not
//!    chained.
//! 5. A conversion that fails is an error with its reason. The value then stays unchanged in its place.

use alloc::vec::Vec;

use crate::class::{Field, Former, Record};

mod conversion;

pub use conversion::{ConversionError, Converter};

/// The value that supplies a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply<'c> {
    /// Its index among the values of the text, as the caller counts them.
    pub at: usize,
    /// Its former name or meaning; none if it is given under today's.
    pub former: Option<&'c Former>,
    /// Another value that would supply the field without this one. It is ignored.
    pub ignored: Option<usize>,
}

/// Finds the value that supplies a field of a record. `present` returns the index of the value under a name; of a
/// duplicate name, the last one.
pub fn find<'c>(
    record: &'c Record,
    field: &'c Field,
    version: u32,
    present: impl Fn(&str) -> Option<usize>,
) -> Option<Supply<'c>> {
    let supply = find_supply(record, field, version, present);
    debug_assert!(
        supply.and_then(|supply| supply.former).is_none_or(|former| counts(record, field, former, version)),
        "law 1 of former names: `{}` is supplied by a name that does not apply to version {version}",
        field.name
    );
    debug_assert!(
        supply.is_none_or(|supply| supply.ignored != Some(supply.at)),
        "law 2 of former names: the value of `{}` is both used and ignored",
        field.name
    );
    supply
}

fn find_supply<'c>(
    record: &'c Record,
    field: &'c Field,
    version: u32,
    present: impl Fn(&str) -> Option<usize>,
) -> Option<Supply<'c>> {
    if field.former.is_empty() {
        return present(&field.name).map(|at| Supply { at, former: None, ignored: None });
    }
    let mut counting: Vec<&Former> =
        field.former.iter().filter(|former| counts(record, field, former, version)).collect();
    counting.sort_by_key(|former| if former.before == 0 { u32::MAX } else { former.before });
    let mut seen = Vec::new();
    let mut found = counting.iter().copied().filter(|former| {
        let is_first = !seen.contains(&former.name.as_str());
        seen.push(former.name.as_str());
        is_first
    });
    let mut formers = core::iter::from_fn(|| found.find_map(|former| present(&former.name).map(|at| (at, former))));
    let supplied = formers.next();
    let second = formers.next();
    let by_former = |(at, former), ignored| Supply { at, former: Some(former), ignored };
    let Some(own) = present(&field.name) else {
        return supplied.map(|supplied| by_former(supplied, second.map(|(at, _)| at)));
    };
    // Under today's name, but with another meaning or of another field.
    let same = counting.iter().copied().find(|former| former.name == field.name);
    match (same, supplied) {
        (Some(former), supplied) => {
            let other = supplied.map(|(at, _)| at).filter(|at| *at != own).or(second.map(|(at, _)| at));
            Some(by_former((own, former), other.filter(|at| *at != own)))
        }
        (None, Some(supplied)) if supplied.1.before > 0 && is_taken(record, field, version) => {
            Some(by_former(supplied, None))
        }
        (None, supplied) => Some(Supply { at: own, former: None, ignored: supplied.map(|(at, _)| at) }),
    }
}

/// Whether a name that is not a field of the record has a meaning in files of a version.
pub fn is_former(record: &Record, name: &str, version: u32) -> bool {
    record.fields.iter().any(|field| {
        let mut formers = field.former.iter();
        formers.any(|former| former.name == name && counts(record, field, former, version))
    })
}

/// Whether a conversion computes a field of the record from the value under this name together with others. Such a
/// value is no mistake, and is no longer needed afterwards.
pub fn is_used_up(record: &Record, name: &str) -> bool {
    let conversions =
        record.fields.iter().flat_map(|field| &field.former).filter_map(|former| former.convert.as_deref());
    let mut mentions = conversions.flat_map(|text| {
        let words = script::token::tokens(text).into_iter();
        words.map(move |token| token.span.text(text).trim_matches('"'))
    });
    mentions.any(|word| word == name)
}

/// Whether a former name of a field applies to files of a version. Today's name without a conversion is not a former
/// one.
pub fn counts(record: &Record, field: &Field, former: &Former, version: u32) -> bool {
    match former.before {
        0 => former.name != field.name && record.field(&former.name).is_none(),
        before => version < before && (former.name != field.name || former.convert.is_some()),
    }
}

/// Whether the field's name belonged to another field in files of a version.
fn is_taken(record: &Record, field: &Field, version: u32) -> bool {
    let others = record.fields.iter().filter(|other| other.name != field.name);
    others.flat_map(|other| &other.former).any(|former| former.name == field.name && version < former.before)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::class::{Kind, Number};

    fn field(name: &str, formers: &[(&str, u32)]) -> Field {
        let mut field = Field::new(name, Kind::Number(Number::F32));
        let former = |(former, before): &(&str, u32)| {
            let convert = (*former == name).then(|| "Lambda(old, old * 10)".to_string());
            Former { name: former.to_string(), before: *before, convert }
        };
        field.former = formers.iter().map(former).collect();
        field
    }

    /// For each field: the name that supplies it, marked if it is a former one, and the ignored name.
    fn check(fields: &[Field], version: u32, names: &[&str], expected: &[&str]) {
        let record = Record { fields: fields.to_vec(), ..Record::default() };
        let present = |name: &str| names.iter().rposition(|other| *other == name);
        let found: Vec<_> = fields
            .iter()
            .map(|field| match find(&record, field, version, present) {
                None => "-".to_string(),
                Some(supply) => {
                    let mark = if supply.former.is_some() { "<" } else { "" };
                    let ignored = supply.ignored.map_or(String::new(), |at| alloc::format!(" not {}", names[at]));
                    alloc::format!("{mark}{}{ignored}", names[supply.at])
                }
            })
            .collect();
        assert_eq!(found, expected);
    }

    use alloc::string::String;

    #[test]
    fn a_field_is_found_under_its_former_name() {
        let fields = [field("weight", &[("mass", 0)]), field("hull", &[])];
        check(&fields, 1, &["mass"], &["<mass", "-"]);
        check(&fields, 9, &["mass", "hull"], &["<mass", "hull"]);
        check(&fields, 1, &["mass", "weight"], &["weight not mass", "-"]);
    }

    #[test]
    fn a_former_name_with_a_version_counts_before_it() {
        let fields = [field("weight", &[("mass", 2), ("weight", 3)])];
        check(&fields, 1, &["mass"], &["<mass"]);
        check(&fields, 2, &["mass"], &["-"]);
        check(&fields, 2, &["weight"], &["<weight"]);
        check(&fields, 3, &["weight"], &["weight"]);
        check(&fields, 1, &["mass", "weight"], &["<weight not mass"]);
    }

    #[test]
    fn of_several_meanings_the_one_of_the_files_version_counts() {
        for is_reversed in [false, true] {
            let mut weight = field("weight", &[("size", 2), ("size", 3), ("weight", 5), ("weight", 4)]);
            if is_reversed {
                weight.former.reverse();
            }
            let record = Record { fields: alloc::vec![weight.clone()], ..Record::default() };
            let before = |version: u32, name: &str| {
                let found = find(&record, &weight, version, |present| (present == name).then_some(0));
                found.map(|supply| (supply.former.map(|former| former.before), supply.ignored))
            };
            assert_eq!(before(1, "size"), Some((Some(2), None)));
            assert_eq!(before(2, "size"), Some((Some(3), None)));
            assert_eq!(before(3, "size"), None);
            assert_eq!(before(1, "weight"), Some((Some(4), None)));
            assert_eq!(before(4, "weight"), Some((Some(5), None)));
            assert_eq!(before(5, "weight"), Some((None, None)));
        }
    }

    #[test]
    fn two_fields_may_exchange_their_names() {
        let fields = [field("a", &[("b", 2)]), field("b", &[("a", 2)])];
        check(&fields, 1, &["a", "b"], &["<b", "<a"]);
        check(&fields, 2, &["a", "b"], &["a", "b"]);
        check(&fields, 1, &["a"], &["a", "<a"]);
    }

    #[test]
    fn one_value_may_supply_two_fields() {
        let fields = [field("width", &[("size", 2)]), field("height", &[("size", 2)])];
        check(&fields, 1, &["size"], &["<size", "<size"]);
        check(&fields, 1, &["size", "width"], &["width not size", "<size"]);
    }

    #[test]
    fn a_former_name_that_is_a_field_today_is_that_field() {
        let fields = [field("weight", &[("mass", 0)]), field("mass", &[])];
        check(&fields, 1, &["mass"], &["-", "mass"]);
    }
}
