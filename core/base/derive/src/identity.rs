//! A number for the sources of a program.
#![allow(clippy::disallowed_methods, reason = "a macro runs in the compiler, and reads the sources that it numbers")]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Error, LitStr, Result, Token};

/// Expands to a number for all Rust sources under the named folders, `src` if there are none.
///
/// Two builds have the same number if their code is the same, token by token, whatever the profile, the machine, the
/// comments and the formatting. Files called `tests.rs`, and folders called `tests`, `target`, `benches` and
/// `examples`, do not count.
pub fn expand(input: TokenStream) -> Result<TokenStream> {
    let folders = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(input)?;
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let names = if folders.is_empty() { vec!["src".to_string()] } else { folders.iter().map(LitStr::value).collect() };
    let mut hash = Hash::new();
    for name in names {
        let mut files = Vec::new();
        collect(&root.join(&name), &name, &mut files);
        if files.is_empty() {
            return Err(Error::new(Span::call_site(), format!("there are no Rust sources in `{name}`")));
        }
        files.sort();
        for (name, path) in files {
            let unreadable = |why: &dyn std::fmt::Display| Error::new(Span::call_site(), format!("{name}: {why}"));
            let text = fs::read_to_string(&path).map_err(|why| unreadable(&why))?;
            let tokens: TokenStream = text.parse().map_err(|why| unreadable(&why))?;
            hash.add(&name);
            hash.add_tokens(tokens);
        }
    }
    let number = hash.0;
    Ok(quote!(#number))
}

/// All Rust files of a folder, each with its path from the crate's folder, with `/`.
fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(own) = entry.file_name().into_string() else { continue };
        let (path, name) = (entry.path(), format!("{name}/{own}"));
        if path.is_dir() {
            if !["tests", "target", "benches", "examples"].contains(&own.as_str()) {
                collect(&path, &name, files);
            }
        } else if own != "tests.rs" && path.extension().is_some_and(|extension| extension == "rs") {
            files.push((name, path));
        }
    }
}

/// FNV-1a (Fowler, Noll, Vo 1991), 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        // The zero byte ends a token, so that `a b` and `ab` differ.
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// All tokens but documentation, which is an attribute to the compiler: `#[doc = "…"]`.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        while let Some((first, after)) = rest.split_first() {
            if let Some(skipped) = documentation(rest) {
                rest = &rest[skipped..];
                continue;
            }
            match first {
                TokenTree::Group(group) => {
                    self.add(delimiter(group.delimiter()));
                    self.add_tokens(group.stream());
                    self.add("end");
                }
                other => self.add(&other.to_string()),
            }
            rest = after;
        }
    }
}

/// How many tokens of documentation the list begins with, if it does: `#[doc…]` or `#![doc…]`.
fn documentation(tokens: &[TokenTree]) -> Option<usize> {
    let is =
        |token: Option<&TokenTree>, char: char| matches!(token, Some(TokenTree::Punct(own)) if own.as_char() == char);
    let at = if is(tokens.first(), '#') { if is(tokens.get(1), '!') { 2 } else { 1 } } else { return None };
    let TokenTree::Group(group) = tokens.get(at)? else { return None };
    let is_doc = matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc");
    is_doc.then_some(at + 1)
}

fn delimiter(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Parenthesis => "(",
        Delimiter::Brace => "{",
        Delimiter::Bracket => "[",
        Delimiter::None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> u64 {
        let mut hash = Hash::new();
        hash.add_tokens(text.parse().expect("it is Rust"));
        hash.0
    }

    #[test]
    fn comments_documentation_and_spaces_do_not_count() {
        let code = number("fn a(b: u8) -> u8 { b + 1 }");
        assert_eq!(code, number("//! Page.\n/// Adds.\nfn a( b : u8 )->u8 {\n    // one\n    b + 1\n}\n"));
    }

    #[test]
    fn every_token_counts() {
        let codes = [
            "fn a() { b + 1 }",
            "fn a() { b + 2 }",
            "fn a() { b - 1 }",
            "fn a() { (b + 1) }",
            "fn ab() {}",
            "fn a() {} b!{}",
            "#[inline] fn ab() {}",
        ];
        for (index, code) in codes.iter().enumerate() {
            assert!(codes[..index].iter().all(|other| number(other) != number(code)), "{code}");
        }
    }
}
