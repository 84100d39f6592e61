//! The derive for described plain data.
//!
//! `#[derive(Plain)]` on a `#[repr(C)]` struct proves at compile time that every field is plain and that there is no
//! padding, and writes the description of its fields. A `#[repr(transparent)]` struct around one integer may say with
//! `#[plain(number = Handle)]` how its number is to be read; there, type parameters may stand in a `PhantomData`.
//! `#[derive(PlainEnum)]` lets a fieldless enum be stored as its number.
//!
//! Never: reads anything but the struct it is applied to.
#![allow(unsafe_code, reason = "what the derive writes promises that a type is plain, having checked it")]

mod crate_path;
mod identity;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Ident, Index, Member, Result, Type, parse_macro_input};

/// Makes a struct plain data. See `base::plain`.
#[proc_macro_derive(Plain, attributes(plain))]
pub fn derive_plain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Lets an enum be stored as its number. See `base::plain::Enum`.
#[proc_macro_derive(PlainEnum)]
pub fn derive_plain_enum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand_enum(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// A number for the sources of the crate that it stands in: equal code gives equal numbers, whatever the build. With
/// folders (paths from the crate's own), for the sources in those.
#[proc_macro]
pub fn build_identity(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    identity::expand(input.into()).unwrap_or_else(Error::into_compile_error).into()
}

fn expand_enum(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "only an enum is stored as the number of its variant"));
    };
    if let Some(variant) = data.variants.iter().find(|variant| !matches!(variant.fields, Fields::Unit)) {
        return Err(Error::new_spanned(variant, "a variant with fields cannot be stored as a number"));
    }
    let integers = ["u8", "u16", "u32"];
    let Some(integer) = integers.into_iter().find(|integer| require_repr(input, integer).is_ok()) else {
        return Err(Error::new_spanned(&input.ident, "an enum that is stored needs #[repr(u8)], u16 or u32"));
    };
    let (base, name, integer) = (crate_path::path_to("base"), &input.ident, format_ident!("{integer}"));
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let (text, texts) = (name.to_string(), variants.iter().map(|variant| variant.to_string()));
    let is_default = |attribute: &Attribute| attribute.path().is_ident("default");
    let Some(default) = data.variants.iter().find(|variant| variant.attrs.iter().any(is_default)) else {
        return Err(Error::new_spanned(
            name,
            "mark one variant with #[default]: numbers that no variant has are read as it",
        ));
    };
    let default = &default.ident;
    let message = format!("`{name}::{default}` is the default and must be 0: new datums are zeros");
    Ok(quote! {
        const _: () = assert!(#name::#default as #integer == 0, #message);
        impl #base::plain::PlainEnum for #name {
            type Number = #integer;
            const NAME: &'static str = #text;
            const VARIANTS: &'static [#base::plain::Variant] =
                &[#( #base::plain::Variant { name: #texts, number: #name::#variants as #integer as u64 } ),*];

            #[inline]
            fn from_number(number: #integer) -> Self {
                #( if number == #name::#variants as #integer { return #name::#variants; } )*
                #name::#default
            }

            #[inline]
            fn number(self) -> #integer {
                self as #integer
            }
        }
    })
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of(input)?;
    let base = crate_path::path_to("base");
    match number_of(&input.attrs)? {
        Some(number) => expand_number(input, &fields, &base, &number),
        None => expand_record(input, &fields, &base),
    }
}

fn expand_record(input: &DeriveInput, fields: &[&Field], base: &TokenStream) -> Result<TokenStream> {
    require_repr(input, "C")?;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "plain data cannot have type parameters: its layout must be one",
        ));
    }
    let name = &input.ident;
    let members: Vec<Member> = fields.iter().enumerate().map(|(index, field)| member(index, field)).collect();
    let names: Vec<String> = members.iter().map(member_name).collect();
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let padding = padding_checks(name, &members, &types);
    let text = name.to_string();
    Ok(quote! {
        const _: () = {
            // Said of the fields first, so that a field that is not plain is the error people see.
            const fn every_field_is_plain<T: #base::plain::Plain>() {}
            #( every_field_is_plain::<#types>(); )*
            #padding
        };
        // SAFETY: every field is plain, the layout is fixed, and the checks above leave no padding.
        unsafe impl #base::plain::Zeroable for #name {}
        // SAFETY: as above.
        unsafe impl #base::plain::Pod for #name {}
        impl #base::plain::Plain for #name {
            const DESCRIPTION: &'static #base::plain::Description = &#base::plain::Description {
                name: #text,
                bytes: ::core::mem::size_of::<#name>() as u32,
                kind: #base::plain::Kind::Record(&[#(
                    #base::plain::Field {
                        name: #names,
                        offset: ::core::mem::offset_of!(#name, #members) as u32,
                        description: <#types as #base::plain::Plain>::DESCRIPTION,
                    }
                ),*]),
                has_floats: false #( || <#types as #base::plain::Plain>::DESCRIPTION.has_floats )*,
            };

            #[inline]
            fn canonicalise(&mut self) {
                #( <#types as #base::plain::Plain>::canonicalise(&mut self.#members); )*
            }
        }
    })
}

fn expand_number(input: &DeriveInput, fields: &[&Field], base: &TokenStream, number: &Ident) -> Result<TokenStream> {
    require_repr(input, "transparent")?;
    let inner: Vec<&Type> = fields.iter().map(|field| &field.ty).filter(|kind| !is_phantom(kind)).collect();
    let [inner] = inner[..] else {
        return Err(Error::new_spanned(input, "a number is a struct around exactly one integer"));
    };
    let name = &input.ident;
    let text = name.to_string();
    let parameters: Vec<_> = input.generics.type_params().map(|parameter| &parameter.ident).collect();
    Ok(quote! {
        // SAFETY: transparent around an integer; what else is inside has no bytes.
        unsafe impl<#(#parameters: 'static),*> #base::plain::Zeroable for #name<#(#parameters),*> {}
        // SAFETY: as above.
        unsafe impl<#(#parameters: 'static),*> #base::plain::Pod for #name<#(#parameters),*> {}
        impl<#(#parameters: 'static),*> #base::plain::Plain for #name<#(#parameters),*> {
            const DESCRIPTION: &'static #base::plain::Description = &#base::plain::Description {
                name: #text,
                bytes: <#inner as #base::plain::Plain>::DESCRIPTION.bytes,
                kind: #base::plain::Kind::Number(#base::plain::Number::#number),
                has_floats: false,
            };

            fn canonicalise(&mut self) {}
        }
    })
}

/// One assertion per gap, so that the message names the field before which the padding lies.
fn padding_checks(name: &Ident, members: &[Member], types: &[&Type]) -> TokenStream {
    let mut checks = TokenStream::new();
    let mut end = quote!(0);
    for (member, kind) in members.iter().zip(types) {
        let message = format!(
            "padding before field `{}` of `{name}`: put larger fields first, or fill the gap with a field of its own",
            member_name(member)
        );
        checks.extend(quote! {
            assert!(::core::mem::offset_of!(#name, #member) == #end, #message);
        });
        end = quote!((::core::mem::offset_of!(#name, #member) + ::core::mem::size_of::<#kind>()));
    }
    let message = format!("padding at the end of `{name}`: fill it with a field of its own");
    checks.extend(quote! { assert!(::core::mem::size_of::<#name>() == #end, #message); });
    checks
}

fn fields_of(input: &DeriveInput) -> Result<Vec<&Field>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            input,
            "only a struct can be plain data: not every number is a value of an enum",
        ));
    };
    Ok(match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unnamed(fields) => fields.unnamed.iter().collect(),
        Fields::Unit => Vec::new(),
    })
}

fn require_repr(input: &DeriveInput, wanted: &str) -> Result<()> {
    let mut found = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            found |= meta.path.is_ident(wanted);
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    let message =
        format!("plain data needs #[repr({wanted})]: without it the order of fields is the compiler's choice");
    if found { Ok(()) } else { Err(Error::new_spanned(&input.ident, message)) }
}

fn number_of(attributes: &[Attribute]) -> Result<Option<Ident>> {
    let mut number = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("plain")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("number") {
                return Err(meta.error("expected `number = …`"));
            }
            number = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(number)
}

fn member(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index { index: index as u32, span: Span::call_site() }),
    }
}

fn member_name(member: &Member) -> String {
    match member {
        Member::Named(name) => name.to_string().trim_start_matches("r#").to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn is_phantom(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == "PhantomData")
}
