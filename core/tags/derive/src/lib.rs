//! The derives for classes of tags.
//!
//! - `#[derive(Tag)]` on a `#[repr(C)]` struct makes it a class;
//! - `#[derive(Record)]` makes it a record that may be a field of one;
//! - `#[derive(Names)]` on an enum makes its variants the names of a choice or of flags.
//!
//! Doc comments become the help texts that designers see. Everything else is declared with `#[tag(…)]`; see
//! `tags::field`.
//!
//! Never: reads anything but the type it is applied to.

#[path = "../../../base/derive/src/crate_path.rs"]
mod crate_path;

mod suggestion;

mod attributes;

mod names;
mod record;

use syn::{Attribute, DeriveInput, Error, Expr, ExprLit, Ident, Lit, Meta, parse_macro_input};

/// Makes a struct a class of tags. See `tags::field`.
#[proc_macro_derive(Tag, attributes(tag))]
pub fn derive_tag(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    record::expand_tag(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a struct a record that may be a field of tags. See `tags::field`.
#[proc_macro_derive(Record, attributes(tag))]
pub fn derive_record(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    record::expand_record(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes the variants of an enum the names of a choice or of flags. See `tags::field`.
#[proc_macro_derive(Names, attributes(tag))]
pub fn derive_names(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    names::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// What the doc comment says, on one line.
fn help(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let words: Vec<String> =
        lines.flat_map(|line| line.split_whitespace().map(str::to_string).collect::<Vec<_>>()).collect();
    words.join(" ")
}

/// A name as the text of tags has it.
fn plain_name(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

/// `OnDamage` is `on_damage`.
fn snake_case(name: &Ident) -> String {
    let letters: Vec<char> = plain_name(name).chars().collect();
    let mut text = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let is_after_small = index > 0 && !letters[index - 1].is_uppercase() && letters[index - 1] != '_';
        let is_before_small = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        let is_after_large = index > 0 && letters[index - 1].is_uppercase();
        if letter.is_uppercase() && (is_after_small || is_after_large && is_before_small) {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests;
