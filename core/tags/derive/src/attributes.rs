//! Parsing of `#[tag(…)]` on a struct, a field or a variant.
//!
//! Laws
//! 1. An unknown word is an error that names the closest one, or all there are.
//! 2. A repeated word is an error, except for `former`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, ExprUnary, Lit, LitInt, LitStr, Result, Token, Type, UnOp, parenthesized};

use crate::suggestion::advice;

/// The attributes of a class.
#[derive(Default)]
pub struct ClassAttributes {
    pub class: Option<LitStr>,
    pub version: Option<LitInt>,
    pub is_not_recoverable: bool,
    pub is_open: bool,
    pub reads: Vec<Type>,
    pub postprocess: Option<LitInt>,
}

/// The attributes of a field.
#[derive(Default)]
pub struct FieldAttributes {
    pub name: Option<LitStr>,
    pub unit: Option<LitStr>,
    pub range: Option<(TokenStream, TokenStream)>,
    pub step: Option<TokenStream>,
    pub default: Option<String>,
    pub is_hidden: bool,
    pub is_read_only: bool,
    pub is_expert: bool,
    pub is_runtime: bool,
    pub is_state: bool,
    pub is_replicated: bool,
    pub is_resident: bool,
    pub is_key: bool,
    pub is_base: bool,
    pub signature: Option<LitStr>,
    pub former: Vec<FormerAttribute>,
    /// The number of words given.
    pub words: usize,
}

/// One `former(…)` of a field.
pub struct FormerAttribute {
    pub name: LitStr,
    pub before: Option<LitInt>,
    pub convert: Option<LitStr>,
}

/// The attributes of a variant.
#[derive(Default)]
pub struct VariantAttributes {
    pub name: Option<LitStr>,
    pub former: Vec<LitStr>,
}

impl ClassAttributes {
    const KNOWN: &[&str] = &["class", "version", "not_recoverable", "open", "reads", "postprocess"];

    pub fn read(attributes: &[Attribute]) -> Result<ClassAttributes> {
        let mut found = ClassAttributes::default();
        each(attributes, Self::KNOWN, |word, meta| {
            match word {
                "class" => found.class = Some(meta.value()?.parse()?),
                "version" => found.version = Some(meta.value()?.parse()?),
                "not_recoverable" => found.is_not_recoverable = true,
                "open" => found.is_open = true,
                "reads" => {
                    let content;
                    parenthesized!(content in meta.input);
                    found.reads = Punctuated::<Type, Token![,]>::parse_terminated(&content)?.into_iter().collect();
                }
                _ => found.postprocess = Some(meta.value()?.parse()?),
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl FieldAttributes {
    pub(crate) const KNOWN: &[&str] = &[
        "name",
        "unit",
        "range",
        "step",
        "default",
        "hidden",
        "read_only",
        "expert",
        "runtime",
        "state",
        "replicated",
        "resident",
        "key",
        "base",
        "signature",
        "former",
    ];

    pub fn read(attributes: &[Attribute]) -> Result<FieldAttributes> {
        let mut found = FieldAttributes::default();
        each(attributes, Self::KNOWN, |word, meta| {
            found.words += 1;
            match word {
                "name" => found.name = Some(meta.value()?.parse()?),
                "unit" => found.unit = Some(meta.value()?.parse()?),
                "range" => found.range = Some(range(meta)?),
                "step" => found.step = Some(number(&meta.value()?.parse()?)),
                "default" => found.default = Some(script_text(&meta.value()?.parse()?)?),
                "hidden" => found.is_hidden = true,
                "read_only" => found.is_read_only = true,
                "expert" => found.is_expert = true,
                "runtime" => found.is_runtime = true,
                "state" => found.is_state = true,
                "replicated" => found.is_replicated = true,
                "resident" => found.is_resident = true,
                "key" => found.is_key = true,
                "base" => found.is_base = true,
                "signature" => found.signature = Some(meta.value()?.parse()?),
                _ => found.former.push(FormerAttribute::read(meta)?),
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl FormerAttribute {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<FormerAttribute> {
        const KNOWN: &[&str] = &["before", "convert"];
        let content;
        parenthesized!(content in meta.input);
        let mut found = FormerAttribute { name: content.parse()?, before: None, convert: None };
        while !content.is_empty() {
            content.parse::<Token![,]>()?;
            if content.is_empty() {
                break;
            }
            let word: syn::Ident = content.parse()?;
            content.parse::<Token![=]>()?;
            match word.to_string().as_str() {
                "before" => found.before = Some(content.parse()?),
                "convert" => found.convert = Some(content.parse()?),
                other => return Err(Error::new(word.span(), unknown(other, KNOWN))),
            }
        }
        Ok(found)
    }
}

impl VariantAttributes {
    const KNOWN: &[&str] = &["name", "former"];

    pub fn read(attributes: &[Attribute]) -> Result<VariantAttributes> {
        let mut found = VariantAttributes::default();
        each(attributes, Self::KNOWN, |word, meta| {
            match word {
                "name" => found.name = Some(meta.value()?.parse()?),
                _ => {
                    let content;
                    parenthesized!(content in meta.input);
                    found.former.extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// No attributes are allowed here; any is an error.
pub fn read_none(attributes: &[Attribute], wanted: &str) -> Result<()> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("tag")) {
        Some(attribute) => Err(Error::new_spanned(attribute, wanted)),
        None => Ok(()),
    }
}

/// Calls `read` with each word of `#[tag(…)]` and its arguments.
fn each(
    attributes: &[Attribute],
    known: &[&str],
    mut read: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let mut seen: Vec<String> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("tag")) {
        attribute.parse_nested_meta(|meta| {
            let word = meta.path.to_token_stream().to_string();
            if !known.contains(&word.as_str()) {
                return Err(meta.error(unknown(&word, known)));
            }
            if word != "former" && seen.contains(&word) {
                return Err(meta.error(format!("`{word}` is given twice")));
            }
            read(&word, &meta)?;
            seen.push(word);
            Ok(())
        })?;
    }
    Ok(())
}

fn unknown(word: &str, known: &[&str]) -> String {
    format!("`{word}` is unknown here; {}", advice(word, known))
}

/// `range(0, 100)`.
fn range(meta: &ParseNestedMeta<'_>) -> Result<(TokenStream, TokenStream)> {
    let content;
    parenthesized!(content in meta.input);
    let ends = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
    let ends: Vec<&Expr> = ends.iter().collect();
    match ends[..] {
        [min, max] => Ok((number(min), number(max))),
        _ => Err(meta.error("a range is the smallest and the largest number: `range(0, 100)`")),
    }
}

/// A number, or a Rust constant that is one.
fn number(expression: &Expr) -> TokenStream {
    match literal(expression) {
        Some((sign, Lit::Int(digits))) => float(sign, digits.base10_digits()),
        Some((sign, Lit::Float(digits))) => float(sign, digits.base10_digits()),
        _ => quote!((#expression) as f64),
    }
}

fn float(sign: &str, digits: &str) -> TokenStream {
    match digits.parse::<f64>() {
        Ok(number) if sign.is_empty() => quote!(#number),
        Ok(number) => quote!(-#number),
        Err(_) => quote!(f64::NAN),
    }
}

/// A default as LScript: a number or truth is itself, a string is the text.
fn script_text(expression: &Expr) -> Result<String> {
    let wrong = "a default is a number, `true`, `false`, or a string with what a designer would write: \
                 `default = \"vec(0, 0, 1)\"`, `default = \"\\\"small\\\"\"`";
    match literal(expression) {
        Some((sign, Lit::Int(digits))) => Ok(format!("{sign}{}", digits.base10_digits())),
        Some((sign, Lit::Float(digits))) => Ok(format!("{sign}{}", digits.base10_digits().trim_end_matches('.'))),
        Some(("", Lit::Bool(truth))) => Ok(truth.value.to_string()),
        Some(("", Lit::Str(text))) => Ok(text.value()),
        _ => Err(Error::new_spanned(expression, wrong)),
    }
}

/// A literal and the minus before it.
fn literal(expression: &Expr) -> Option<(&'static str, &Lit)> {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => Some(("", lit)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit, .. }) => Some(("-", lit)),
            _ => None,
        },
        _ => None,
    }
}
