//! Deriving `Names`: enums whose variants are names in LScript.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant};

use crate::attributes::{VariantAttributes, read_none};
use crate::{help, snake_case};

/// Expands `#[derive(Names)]`.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(body) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "names are the variants of an enum"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "an enum of names cannot have parameters"));
    }
    if body.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "an enum of names needs at least one"));
    }
    read_none(&input.attrs, "the enum itself has no attributes; `#[tag(…)]` stands on its variants")?;
    let tags = crate::crate_path::path_to("tags");
    let mut names = Vec::new();
    for variant in &body.variants {
        names.push(named(variant, &tags)?);
    }
    let name = &input.ident;
    let variants: Vec<_> = body.variants.iter().map(|variant| &variant.ident).collect();
    let numbers = 0..variants.len() as u32;
    Ok(quote! {
        #[automatically_derived]
        impl #tags::field::Names for #name {
            const ALL: &'static [Self] = &[#( Self::#variants ),*];

            fn names() -> #tags::field::derived::Vec<#tags::class::Named> {
                let mut names = #tags::field::derived::Vec::new();
                #( names.push(#names); )*
                names
            }

            fn index(self) -> u32 {
                match self {
                    #( Self::#variants => #numbers, )*
                }
            }
        }
    })
}

fn named(variant: &Variant, tags: &TokenStream) -> Result<TokenStream> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(&variant.fields, "a name has no fields"));
    }
    if let Some((_, number)) = &variant.discriminant {
        return Err(Error::new_spanned(number, "names are numbered in order; a variant cannot have a discriminant"));
    }
    let said = VariantAttributes::read(&variant.attrs)?;
    let name = said.name.as_ref().map_or_else(|| snake_case(&variant.ident), LitStr::value);
    let (help, former) = (help(&variant.attrs), said.former);
    Ok(quote! {{
        let mut named = #tags::class::Named::new(#name);
        named.help = ::core::convert::Into::into(#help);
        #( named.former.push(::core::convert::Into::into(#former)); )*
        named
    }})
}
