//! The derives for classes of tags.
//!
//! - `#[derive(Tag)]` on a `#[repr(C)]` struct makes it a class;
//! - `#[derive(Record)]` makes it a record that may be a field of one;
//! - `#[derive(Names)]` on an enum makes its variants the names of a choice or of flags.
//!
//! What the doc comments say is the help that designers see. The rest is said with `#[tag(…)]`; see `tags::field`.
//!
//! Never: looks at anything but the type it is put on.

mod suggestion;

mod attributes;

mod names;
mod record;

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
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

/// `::tags`, or `::astrarium::tags` in a game that knows only the front door. Both crates name themselves so, which makes
/// the same path right inside them, in their tests and in their examples.
fn path_to_tags() -> TokenStream {
    match crate_name("astrarium-tags") {
        Ok(FoundCrate::Itself) => quote!(::tags),
        // Whoever has not given it another name calls it by that of its library; so do its own tests.
        Ok(FoundCrate::Name(name)) if name == "astrarium_tags" => quote!(::tags),
        Ok(FoundCrate::Name(name)) => {
            let name = format_ident!("{name}");
            quote!(::#name)
        }
        Err(_) => match crate_name("astrarium") {
            Ok(FoundCrate::Name(name)) => {
                let name = format_ident!("{name}");
                quote!(::#name::tags)
            }
            _ => quote!(::astrarium::tags),
        },
    }
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
