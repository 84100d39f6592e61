//! Invalid classes, records and names are compile errors with help texts.

use crate::attributes::FieldAttributes;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

fn check(expand: fn(&DeriveInput) -> Result<TokenStream>, source: TokenStream, expected: &str) {
    let input: DeriveInput = syn::parse2(source).expect("it is Rust");
    match expand(&input) {
        Ok(_) => assert_eq!("", expected),
        Err(error) => {
            let found = error.to_string();
            assert!(!expected.is_empty() && found.contains(expected), "expected {expected}, found {found}");
        }
    }
}

#[test]
fn a_class_is_a_struct_with_named_fields_and_a_fixed_layout() {
    let check = |source, expected: &str| check(crate::record::expand_tag, source, expected);
    check(
        quote!(
            #[repr(C)]
            struct A {
                a: f32,
            }
        ),
        "",
    );
    check(
        quote!(
            struct A {
                a: f32,
            }
        ),
        "needs #[repr(C)]",
    );
    check(
        quote!(
            #[repr(transparent)]
            struct A {
                a: f32,
            }
        ),
        "#[repr(C)] and nothing else",
    );
    check(
        quote!(
            #[repr(C, packed)]
            struct A {
                a: f32,
            }
        ),
        "#[repr(C)] and nothing else",
    );
    check(
        quote!(
            #[repr(C, align(16))]
            struct A {
                a: f32,
            }
        ),
        "#[repr(C)] and nothing else",
    );
    check(
        quote!(
            #[repr(C)]
            struct A(f32);
        ),
        "the fields need names",
    );
    check(
        quote!(
            #[repr(C)]
            struct A<T> {
                a: T,
            }
        ),
        "cannot have parameters",
    );
    check(
        quote!(
            #[repr(C)]
            enum A {
                B,
            }
        ),
        "#[derive(Names)]",
    );
    check(quote!(#[repr(C)] union A { a: f32 }), "is a struct");
}

#[test]
fn a_misspelt_attribute_of_a_class_is_an_error() {
    let check = |source, expected: &str| check(crate::record::expand_tag, source, expected);
    check(
        quote!(
            #[repr(C)]
            #[tag(vresion = 2)]
            struct A {}
        ),
        "`vresion` is unknown here; did you mean `version`?",
    );
    check(
        quote!(
            #[repr(C)]
            #[tag(colour = 2)]
            struct A {}
        ),
        "there are class, version, not_recoverable, open, reads, postprocess",
    );
    check(
        quote!(
            #[repr(C)]
            #[tag(version = 2, version = 3)]
            struct A {}
        ),
        "`version` is given twice",
    );
    check(
        quote!(
            #[repr(C)]
            #[tag(version = "2")]
            struct A {}
        ),
        "expected integer literal",
    );
    check(
        quote!(
            #[repr(C)]
            #[tag(version)]
            struct A {}
        ),
        "expected `=`",
    );
}

#[test]
fn a_misspelt_attribute_of_a_field_is_an_error() {
    let check = |source: TokenStream, expected: &str| {
        check(
            crate::record::expand_record,
            quote!(
                #[repr(C)]
                struct A {
                    #[tag(#source)]
                    a: f32,
                }
            ),
            expected,
        );
    };
    check(quote!(unit = "m", hidden, key, former("b"), default = -1, range(-1, MOST), step = 2), "");
    check(quote!(rnge(0, 1)), "`rnge` is unknown here; did you mean `range`?");
    check(quote!(readonly), "did you mean `read_only`?");
    check(quote!(range(0)), "the smallest and the largest number");
    check(quote!(range = 3), "expected parentheses");
    check(quote!(default = vec(0, 0, 1)), "a default is a number, `true`, `false`, or a string");
    check(quote!(default = -"a"), "a default is a number");
    check(quote!(hidden = true), "expected `,`");
    check(quote!(former()), "expected string literal");
    check(quote!(former("b", befor = 3)), "`befor` is unknown here; did you mean `before`?");
    check(quote!(former("b", before = 3, convert = "Lambda(old, old)",), former("c")), "");
    check(quote!(hidden, hidden), "`hidden` is given twice");
}

#[test]
fn a_record_has_one_key_and_no_version() {
    let check = |source, expected: &str| check(crate::record::expand_record, source, expected);
    check(
        quote!(
            #[repr(C)]
            struct A {
                #[tag(key)]
                a: f32,
                #[tag(key)]
                b: f32,
            }
        ),
        "a record has one key",
    );
    check(
        quote!(
            #[repr(C)]
            #[tag(version = 2)]
            struct A {}
        ),
        "a record itself has no attributes",
    );
}

#[test]
fn names_are_an_enum_of_plain_variants() {
    let check = |source, expected: &str| check(crate::names::expand, source, expected);
    check(
        quote!(
            enum A {
                #[tag(name = "b", former("c", "d"))]
                B,
                C,
            }
        ),
        "",
    );
    check(
        quote!(
            struct A {}
        ),
        "names are the variants of an enum",
    );
    check(
        quote!(
            enum A {}
        ),
        "at least one",
    );
    check(
        quote!(
            enum A<T> {
                B,
            }
        ),
        "cannot have parameters",
    );
    check(
        quote!(
            enum A {
                B(u32),
            }
        ),
        "a name has no fields",
    );
    check(
        quote!(
            enum A {
                B = 3,
            }
        ),
        "cannot have a discriminant",
    );
    check(
        quote!(
            enum A {
                #[tag(nmae = "b")]
                B,
            }
        ),
        "did you mean `name`?",
    );
    check(
        quote!(
            #[tag(name = "b")]
            enum A {
                B,
            }
        ),
        "stands on its variants",
    );
}

#[test]
fn names_are_in_snake_case() {
    for (name, expected) in [
        ("Ship", "ship"),
        ("OnDamage", "on_damage"),
        ("HTTPServer", "http_server"),
        ("Level2", "level2"),
        ("A", "a"),
        ("already_small", "already_small"),
        ("X_Ray", "x_ray"),
    ] {
        assert_eq!(crate::snake_case(&quote::format_ident!("{name}")), expected);
    }
}

#[test]
fn a_base_is_the_first_field_of_a_class_without_other_attributes() {
    let tag = |source, expected: &str| check(crate::record::expand_tag, source, expected);
    tag(
        quote!(
            #[repr(C)]
            struct Ship {
                #[tag(base)]
                object: Object,
                mass: f32,
            }
        ),
        "",
    );
    tag(
        quote!(
            #[repr(C)]
            struct Ship {
                mass: f32,
                #[tag(base)]
                object: Object,
            }
        ),
        "the base is the first field",
    );
    tag(
        quote!(
            #[repr(C)]
            struct Ship {
                #[tag(base, hidden)]
                object: Object,
            }
        ),
        "a base has no other attributes",
    );
    check(
        crate::record::expand_record,
        quote!(
            #[repr(C)]
            struct Mount {
                #[tag(base)]
                object: Object,
            }
        ),
        "only a class has a base",
    );
}

/// The derive cannot depend on the crate it belongs to, so its words are compared with the source of the tables there.
#[test]
fn the_words_of_a_field_are_the_flags_and_attributes_of_headers() {
    const FLAGS: &str = include_str!("../../src/class/flag.rs");
    const VOCABULARY: &str = include_str!("../../src/header/vocabulary.rs");
    let attributes = VOCABULARY.split("pub const ATTRIBUTE").nth(1).and_then(|rest| rest.split("];").next()).unwrap();
    let words = |text: &str, before: &str| -> Vec<String> {
        text.split(before).skip(1).map(|rest| rest.split('"').next().unwrap().to_string()).collect()
    };
    let mut declared = words(FLAGS, "name: \"");
    declared.extend(words(attributes, "entry(\""));
    assert!(declared.len() >= 18, "{declared:?}");
    let known: Vec<String> = FieldAttributes::KNOWN.iter().map(ToString::to_string).collect();
    // Types, help, names, formulas and records come from Rust itself; bases and signatures are written otherwise in
    // headers.
    let only_headers = ["type", "help", "formula", "names", "fields"];
    let only_rust = ["base", "signature"];
    for word in &declared {
        assert_ne!(known.contains(word), only_headers.contains(&word.as_str()), "`{word}` of a header");
    }
    for word in &known {
        assert_ne!(declared.contains(word), only_rust.contains(&word.as_str()), "`{word}` of `#[tag(…)]`");
    }
}
