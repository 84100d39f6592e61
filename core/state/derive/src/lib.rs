//! The derive for the keys of a world.
//!
//! `#[derive(Layout)]` on a struct of keys writes the function that reserves them: one field is the key, its type, the
//! name of its region and, by the order of fields, its place in the block. An attribute per field selects the kind of
//! region:
//!
//! | attribute | reserves |
//! |---|---|
//! | `#[datums(capacity)]`, `#[datums(capacity, chunk)]` | a slot map: `Datums<T>` |
//! | `#[entities(capacity, values, chunk)]` | datums with rows of values: `Entities<T, V>` |
//! | `#[list(capacity)]` | a bounded list: `List<T>` |
//! | `#[single]` | one value: `Single<T>` |
//! | `#[pool(bytes, blocks)]` | memory for pieces of any size: `Pool` |
//! | `#[class(pool)]` | a type of piece in that pool: `Class<T>` |
//! | `#[brush(waiting)]` | a deferred queue: `Brush<T>` |
//! | `#[reserve(expression)]` | the result of the expression, with `layout` in scope |
//! | `#[system("name")]`, beside one of these | begins a system with this field |
//!
//! On the struct, `#[layout(system = "name")]` names the first system, and `#[layout(limits = Type)]` gives the
//! expressions a value `limits: &Type`. The derive writes `fn reserve(layout: &mut Layout, limits: &Type) -> Self`,
//! without the second parameter if no limits are named. With `#[layout(world = "name")]` the struct needs a field
//! `plan: Arc<Plan>`, and the function written is `fn lay_out(limits: &Type) -> Self`: a whole world's layout, with the
//! plan in that field.
//!
//! Never: reads anything but the struct it is applied to.

#[path = "../../../base/derive/src/crate_path.rs"]
mod crate_path;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, LitStr, Result, Token, Type, parse_macro_input,
};

/// Writes the function that reserves a struct of keys. See the page above.
#[proc_macro_derive(Layout, attributes(layout, system, datums, entities, list, single, pool, class, brush, reserve))]
pub fn derive_layout(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// The arguments of `#[layout(…)]`.
#[derive(Default)]
struct Options {
    world: Option<LitStr>,
    system: Option<LitStr>,
    limits: Option<Type>,
}

/// The attributes that reserve a region, and the minimum and maximum number of expressions of each.
const REGIONS: &[(&str, usize, usize)] = &[
    ("datums", 1, 2),
    ("entities", 3, 3),
    ("list", 1, 1),
    ("single", 0, 0),
    ("pool", 2, 2),
    ("class", 1, 1),
    ("brush", 1, 1),
    ("reserve", 1, 1),
];

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let options = options_of(&input.attrs)?;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "only a struct of keys can be laid out"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "the fields need names: they are the names of the regions"));
    };
    let is_plan = |field: &&Field| options.world.is_some() && field.ident.as_ref().is_some_and(|name| name == "plan");
    let plan = fields.named.iter().find(is_plan);
    if options.world.is_some() && plan.is_none() {
        return Err(Error::new_spanned(&input.ident, "#[layout(world = …)] needs a field `plan: Arc<Plan>`"));
    }
    let state = crate_path::path_to("state");
    let mut names = Vec::new();
    let mut reservations = TokenStream::new();
    for field in fields.named.iter().filter(|field| !is_plan(field)) {
        let name = field.ident.as_ref().expect("fields of this struct have names");
        reservations.extend(reservation(name, field)?);
        names.push(name);
    }
    let begin = options.system.as_ref().map(|name| quote! { layout.system(#name); });
    let parameter = options.limits.as_ref().map(|limits| quote!(limits: &#limits));
    let (name, (impl_generics, type_generics, bounds)) = (&input.ident, input.generics.split_for_impl());
    let visibility = &input.vis;
    let function = match &options.world {
        Some(world) => quote! {
            /// Lays out a world with these regions, in the order of the fields.
            #visibility fn lay_out(#parameter) -> Self {
                let mut whole = #state::Layout::of_world(#world);
                let layout = &mut whole;
                #begin
                #reservations
                Self { plan: whole.finish(), #(#names),* }
            }
        },
        None => quote! {
            /// Reserves these regions, in the order of the fields.
            #visibility fn reserve(layout: &mut #state::Layout, #parameter) -> Self {
                #begin
                #reservations
                Self { #(#names),* }
            }
        },
    };
    Ok(quote! {
        impl #impl_generics #name #type_generics #bounds {
            #function
        }
    })
}

/// The statement that reserves one field, with the start of its system if one begins here.
fn reservation(name: &Ident, field: &Field) -> Result<TokenStream> {
    let mut statements = TokenStream::new();
    let mut found = None;
    for attribute in &field.attrs {
        if attribute.path().is_ident("system") {
            let system: LitStr = attribute.parse_args()?;
            statements.extend(quote! { layout.system(#system); });
        } else if let Some(region) = REGIONS.iter().find(|region| attribute.path().is_ident(region.0))
            && found.replace((attribute, region)).is_some()
        {
            return Err(Error::new_spanned(attribute, "a field is one region"));
        }
    }
    let Some((attribute, region)) = found else {
        let kinds: Vec<String> = REGIONS.iter().map(|region| format!("#[{}]", region.0)).collect();
        let message = format!("what does `{name}` reserve? Expected one of {}", kinds.join(", "));
        return Err(Error::new_spanned(field, message));
    };
    let arguments = arguments_of(attribute, region)?;
    let (kind, text) = (region.0, name.to_string());
    let key = match kind {
        "datums" if arguments.len() == 2 => quote!(layout.datums_in_chunks(#text, #(#arguments),*)),
        "class" => quote!(layout.class(#(#arguments),*, #text)),
        "reserve" => quote!(#(#arguments),*),
        _ => {
            let method = format_ident!("{kind}");
            quote!(layout.#method(#text, #(#arguments),*))
        }
    };
    statements.extend(quote! { let #name = #key; });
    Ok(statements)
}

fn arguments_of(attribute: &Attribute, (kind, min, max): &(&str, usize, usize)) -> Result<Vec<Expr>> {
    let arguments: Vec<Expr> = match &attribute.meta {
        syn::Meta::Path(_) => Vec::new(),
        _ => attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?.into_iter().collect(),
    };
    if (*min..=*max).contains(&arguments.len()) {
        return Ok(arguments);
    }
    let expected = if min == max { format!("{min}") } else { format!("{min} or {max}") };
    let found = arguments.len();
    Err(Error::new_spanned(attribute, format!("#[{kind}] takes {expected} values, not {found}")))
}

fn options_of(attributes: &[Attribute]) -> Result<Options> {
    let mut options = Options::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("layout")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("world") {
                options.world = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("system") {
                options.system = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("limits") {
                options.limits = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("expected `world = \"…\"`, `system = \"…\"` or `limits = Type`"));
            }
            Ok(())
        })?;
    }
    Ok(options)
}
