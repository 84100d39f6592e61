//! The path by which generated code names a crate of ours. The derives of `base`, `state` and `tags` share this file.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The path of a library such as `base`, as the crate that is compiled depends on it: directly, under another name, or
/// through `astrarium`.
pub(crate) fn path_to(library: &str) -> TokenStream {
    let package = format!("astrarium-{library}");
    let library = format_ident!("{library}");
    match crate_name(&package) {
        Ok(FoundCrate::Itself) => quote!(::#library),
        // A dependency that was not renamed goes by the name of its library; so do its own tests.
        Ok(FoundCrate::Name(name)) if name == package.replace('-', "_") => quote!(::#library),
        Ok(FoundCrate::Name(name)) => {
            let name = format_ident!("{name}");
            quote!(::#name)
        }
        Err(_) => match crate_name("astrarium") {
            Ok(FoundCrate::Name(name)) => {
                let name = format_ident!("{name}");
                quote!(::#name::#library)
            }
            _ => quote!(::astrarium::#library),
        },
    }
}
