//! Deriving `Tag` and `Record`: structs as classes and records.
#![allow(unsafe_code, reason = "what the derives write promises that any bytes are a value, having checked the fields")]

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Result, Type};

use crate::attributes::{ClassAttributes, FieldAttributes, FormerAttribute, read_none};
use crate::{help, plain_name, snake_case};

/// Expands `#[derive(Tag)]`.
pub fn expand_tag(input: &DeriveInput) -> Result<TokenStream> {
    let tags = crate::crate_path::path_to("tags");
    let said = ClassAttributes::read(&input.attrs)?;
    let class = said.class.as_ref().map_or_else(|| snake_case(&input.ident), LitStr::value);
    let record = expand(input, &tags, &class, Whole::Class)?;
    let (name, help) = (&input.ident, help(&input.attrs));
    let reads = &said.reads;
    let mut more = TokenStream::new();
    if let Some(version) = &said.version {
        more.extend(quote!(class.version = #version;));
    }
    if said.is_not_recoverable {
        more.extend(quote!(class.is_recoverable = false;));
    }
    if said.is_open {
        more.extend(quote!(class.is_open = true;));
    }
    if let Some(postprocess) = &said.postprocess {
        more.extend(quote!(class.postprocess = #postprocess;));
    }
    Ok(quote! {
        #record

        #[automatically_derived]
        impl #tags::field::Tag for #name {
            const CLASS: &'static str = #class;

            fn head() -> #tags::class::Class {
                let mut class = #tags::class::Class::new(#class);
                class.help = ::core::convert::Into::into(#help);
                #more
                #( class.reads.push(::core::convert::Into::into(<#reads as #tags::field::Tag>::CLASS)); )*
                class
            }
        }
        #(
            #[automatically_derived]
            impl #tags::postprocess::MayRead<#reads> for #name {}
        )*
    })
}

/// Expands `#[derive(Record)]`.
pub fn expand_record(input: &DeriveInput) -> Result<TokenStream> {
    read_none(&input.attrs, "a record itself has no attributes; `#[tag(…)]` stands on its fields")?;
    expand(input, &crate::crate_path::path_to("tags"), &snake_case(&input.ident), Whole::Record)
}

#[derive(Clone, Copy, PartialEq)]
enum Whole {
    Class,
    Record,
}

fn expand(input: &DeriveInput, tags: &TokenStream, record_name: &str, whole: Whole) -> Result<TokenStream> {
    let fields = fields_of(input)?;
    require_layout(input)?;
    let (name, help) = (&input.ident, help(&input.attrs));
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let checks = types.iter().map(|kind| quote_spanned!(kind.span()=> may_be_a_field::<#kind>();));
    let (mut described, mut offsets) = (TokenStream::new(), TokenStream::new());
    let mut has_key = false;
    for (index, field) in fields.iter().enumerate() {
        let said = FieldAttributes::read(&field.attrs)?;
        if said.is_base {
            check_base(index, field, &said, whole)?;
            let base = &field.ty;
            described.extend(quote_spanned!(base.span()=> record.fields = builder.base::<#base>().fields;));
            offsets.extend(quote!(offsets.extend(<#base as #tags::field::RecordType>::offsets());));
            continue;
        }
        let member = &field.ident;
        offsets.extend(quote!(offsets.push(::core::mem::offset_of!(#name, #member));));
        if said.is_key && core::mem::replace(&mut has_key, true) {
            return Err(Error::new_spanned(field, "a record has one key; another field is already marked"));
        }
        described.extend(describe(field, &said, tags));
    }
    Ok(quote! {
        const _: () = {
            // Checked first, so that an invalid field is the error that is shown.
            const fn may_be_a_field<T: #tags::field::FieldType>() {}
            #( #checks )*
        };
        // SAFETY: the layout is fixed, and any bytes are a value of each field, as checked above.
        #[automatically_derived]
        unsafe impl #tags::field::AnyBytes for #name {}
        #[automatically_derived]
        impl #tags::field::FieldType for #name {
            fn kind(builder: &mut #tags::field::Builder) -> #tags::class::Kind {
                builder.record::<Self>()
            }
        }
        #[automatically_derived]
        impl #tags::field::RecordType for #name {
            fn describe(builder: &mut #tags::field::Builder) -> #tags::class::Record {
                let mut record = <#tags::class::Record as ::core::default::Default>::default();
                record.name = ::core::convert::Into::into(#record_name);
                record.help = ::core::convert::Into::into(#help);
                #described
                record
            }

            fn offsets() -> #tags::field::derived::Vec<usize> {
                #[allow(unused_mut, reason = "it may have no fields")]
                let mut offsets = #tags::field::derived::Vec::new();
                #offsets
                offsets
            }
        }
    })
}

/// The base is the first field of a class, and has no other attributes.
fn check_base(index: usize, field: &Field, said: &FieldAttributes, whole: Whole) -> Result<()> {
    let wrong = if whole == Whole::Record {
        "only a class has a base; a record can be an ordinary field"
    } else if index > 0 {
        "the base is the first field: the packed form begins with it"
    } else if said.words > 1 {
        "a base has no other attributes; its fields have their own"
    } else {
        return Ok(());
    };
    Err(Error::new_spanned(field, wrong))
}

/// Adds one field to the record's description.
fn describe(field: &Field, said: &FieldAttributes, tags: &TokenStream) -> TokenStream {
    let own = field.ident.as_ref().map(plain_name).unwrap_or_default();
    let name = said.name.as_ref().map_or(own, LitStr::value);
    let kind = &field.ty;
    let mut more = TokenStream::new();
    let help = help(&field.attrs);
    if !help.is_empty() {
        more.extend(quote!(field.help = ::core::convert::Into::into(#help);));
    }
    if let Some(unit) = &said.unit {
        more.extend(quote!(field.unit = ::core::convert::Into::into(#unit);));
    }
    if let Some((min, max)) = &said.range {
        more.extend(quote!(field.range = ::core::option::Option::Some((#min, #max));));
    }
    if let Some(step) = &said.step {
        more.extend(quote!(field.step = ::core::option::Option::Some(#step);));
    }
    if let Some(default) = &said.default {
        more.extend(quote!(field.default = ::core::option::Option::Some(::core::convert::Into::into(#default));));
    }
    if let Some(signature) = &said.signature {
        more.extend(quote!(field.kind = #tags::field::derived::with_signature(field.kind, #signature);));
    }
    let flags = [
        (said.is_hidden, quote!(is_hidden)),
        (said.is_read_only, quote!(is_read_only)),
        (said.is_expert, quote!(is_expert)),
        (said.is_runtime, quote!(is_runtime)),
        (said.is_state, quote!(is_state)),
        (said.is_replicated, quote!(is_replicated)),
        (said.is_resident, quote!(is_resident)),
    ];
    for (_, flag) in flags.iter().filter(|(is_set, _)| *is_set) {
        more.extend(quote!(field.#flag = true;));
    }
    if said.is_key {
        more.extend(quote!(record.key = ::core::option::Option::Some(record.fields.len() as u32);));
    }
    for former in &said.former {
        more.extend(describe_former(former, tags));
    }
    quote! {{
        let kind = <#kind as #tags::field::FieldType>::kind(builder);
        #[allow(unused_mut, reason = "it has no other attributes")]
        let mut field = #tags::class::Field::new(#name, kind);
        #more
        record.fields.push(field);
    }}
}

fn describe_former(former: &FormerAttribute, tags: &TokenStream) -> TokenStream {
    let name = &former.name;
    let before = former.before.as_ref().map_or(quote!(0), |before| quote!(#before));
    let convert = match &former.convert {
        Some(lambda) => quote!(::core::option::Option::Some(::core::convert::Into::into(#lambda))),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        field.former.push(#tags::class::Former {
            name: ::core::convert::Into::into(#name),
            before: #before,
            convert: #convert,
        });
    }
}

fn fields_of(input: &DeriveInput) -> Result<Vec<&Field>> {
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "a class or record cannot have parameters: its layout must be one",
        ));
    }
    match &input.data {
        Data::Struct(body) => match &body.fields {
            Fields::Named(fields) => Ok(fields.named.iter().collect()),
            _ => Err(Error::new_spanned(&input.ident, "the fields need names, which designers write")),
        },
        _ => Err(Error::new_spanned(
            &input.ident,
            "a class or record is a struct; an enum can be the names of a choice, with #[derive(Names)]",
        )),
    }
}

/// `#[repr(C)]` and nothing else: the table knows no other layout.
fn require_layout(input: &DeriveInput) -> Result<()> {
    let mut is_found = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("C") {
                return Err(meta.error("a class or record has the layout #[repr(C)] and nothing else"));
            }
            is_found = true;
            Ok(())
        })?;
    }
    let message = "a class or record needs #[repr(C)]: without it the order of fields is the compiler's choice";
    if is_found { Ok(()) } else { Err(Error::new_spanned(&input.ident, message)) }
}
