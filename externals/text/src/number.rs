//! Number formatting by locale: digits, decimal separator, grouping.

use fluent_bundle::types::{FluentNumber, FluentNumberOptions};
use fluent_bundle::{FluentArgs, FluentValue};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_decimal::options::{DecimalFormatterOptions, GroupingStrategy};
use icu_locale_core::Locale;
use intl_memoizer::Memoizable;
use intl_memoizer::concurrent::IntlLangMemoizer;
use unic_langid::LanguageIdentifier;

use crate::limits::{DEFAULT_LANGUAGE, FRACTION_DIGITS, FRACTION_DIGITS_MAX};

/// The options of `NUMBER`.
pub(crate) const NUMBER_OPTIONS: [&str; 4] = ["maximumFractionDigits", "minimumFractionDigits", "type", "useGrouping"];

/// The only function that entries may call.
pub(crate) const NUMBER: &str = "NUMBER";

/// The numbers of one language: its digits, its decimal separator and its grouping.
pub struct Numbers {
    memoizer: IntlLangMemoizer,
}

impl Numbers {
    /// Those of a language tag; of one that is not a tag, those of the default language.
    pub fn new(language: &str) -> Numbers {
        let language = language.parse::<LanguageIdentifier>().or_else(|_| DEFAULT_LANGUAGE.parse());
        Numbers { memoizer: IntlLangMemoizer::new(language.unwrap_or_default()) }
    }

    /// A number as the texts of the language write it: with at most three decimals.
    pub fn say(&self, number: f64) -> String {
        let number = FluentNumber::new(number, FluentNumberOptions::default());
        write_value(&FluentValue::Number(number.clone()), &self.memoizer).unwrap_or_else(|| digits(&number))
    }
}

/// The formatted value in the memoizer's language. None leaves it to Fluent.
pub(crate) fn write_value(value: &FluentValue<'_>, memoizer: &IntlLangMemoizer) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    let decimal = Decimal::try_from_str(&digits(number)).ok()?;
    let is_grouped = number.options.use_grouping;
    memoizer.with_try_get::<Writing, _, _>((is_grouped,), |writing| writing.0.format(&decimal).to_string()).ok()
}

/// A number, formatted with its options: `NUMBER($share, maximumFractionDigits: 1)`. Its plural category is that of the
/// formatted number.
pub(crate) fn number_function<'a>(values: &[FluentValue<'a>], options: &FluentArgs<'_>) -> FluentValue<'a> {
    let Some(FluentValue::Number(number)) = values.first() else {
        return values.first().cloned().unwrap_or(FluentValue::Error);
    };
    let mut number = number.clone();
    number.options.merge(options);
    let FluentNumberOptions { minimum_fraction_digits: least, maximum_fraction_digits: most, .. } = &mut number.options;
    *least = least.map(|digits| digits.min(FRACTION_DIGITS_MAX));
    *most = most.map(|digits| digits.min(FRACTION_DIGITS_MAX));
    number.value = digits(&number).parse().unwrap_or(number.value);
    FluentValue::Number(number)
}

/// The number with the digits that its options ask for, in ASCII. Zero has no sign.
fn digits(number: &FluentNumber) -> String {
    let least = number.options.minimum_fraction_digits.unwrap_or(0).min(FRACTION_DIGITS_MAX);
    let most = number.options.maximum_fraction_digits.unwrap_or(FRACTION_DIGITS);
    let most = most.min(FRACTION_DIGITS_MAX).max(least);
    let mut text = format!("{:.most$}", number.value);
    for _ in least..most {
        if !text.ends_with('0') {
            break;
        }
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    if is_zero && text.starts_with('-') {
        text.remove(0);
    }
    text
}

struct Writing(DecimalFormatter);

impl Memoizable for Writing {
    type Args = (bool,);
    type Error = ();

    fn construct(language: LanguageIdentifier, (is_grouped,): (bool,)) -> Result<Writing, ()> {
        let locale = Locale::try_from_str(&language.to_string()).map_err(|_| ())?;
        let mut options = DecimalFormatterOptions::default();
        options.grouping_strategy = Some(if is_grouped { GroupingStrategy::Auto } else { GroupingStrategy::Never });
        DecimalFormatter::try_new(locale.into(), options).map(Writing).map_err(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64, least: Option<usize>, most: Option<usize>) -> FluentNumber {
        let (minimum_fraction_digits, maximum_fraction_digits) = (least, most);
        let rest = FluentNumberOptions::default();
        FluentNumber::new(value, FluentNumberOptions { minimum_fraction_digits, maximum_fraction_digits, ..rest })
    }

    #[test]
    fn the_options_decide_the_digits() {
        let check = |value: f64, least: Option<usize>, most: Option<usize>, expected: &str| {
            assert_eq!(digits(&number(value, least, most)), expected);
        };
        check(3.0, None, None, "3");
        check(0.1 + 0.2, None, None, "0.3");
        check(0.12345, None, None, "0.123");
        check(100.0, None, None, "100");
        check(-0.0, None, None, "0");
        check(-0.0001, None, None, "0");
        check(-1.5, None, Some(0), "-2");
        check(2.5, Some(2), None, "2.50");
        check(2.5, Some(4), Some(1), "2.5000");
        check(1.0, Some(usize::MAX), Some(usize::MAX), "1.000000000000000");
        check(1e21, None, None, "1000000000000000000000");
    }

    #[test]
    fn numbers_are_formatted_by_locale() {
        let check = |language: &str, value: f64, expected: &str| {
            let memoizer = IntlLangMemoizer::new(language.parse().unwrap());
            let value = FluentValue::Number(number(value, None, None));
            assert_eq!(write_value(&value, &memoizer).as_deref(), Some(expected), "{language}");
        };
        check("en", 1234567.5, "1,234,567.5");
        check("de", 1234567.5, "1.234.567,5");
        check("de-AT", 1234567.5, "1\u{a0}234\u{a0}567,5");
        check("pl", 1234.5, "1234,5");
        check("hi", 1234567.0, "12,34,567");
        check("ar-EG", 12.0, "١٢");
        check("qqq", 1234.5, "1,234.5");
        check("en", -3.0, "-3");
    }

    #[test]
    fn numbers_are_written_as_the_texts_of_a_language_write_them() {
        let check = |language: &str, number: f64, expected: &str| {
            assert_eq!(Numbers::new(language).say(number), expected, "{language}");
        };
        check("en", 1234.5, "1,234.5");
        check("de", 1234.5, "1.234,5");
        check("de-AT", 0.25, "0,25");
        check("no tag", -0.0001, "0");
        check("", 3.0, "3");
        check("de", f64::NAN, "NaN");
    }
}
