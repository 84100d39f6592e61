//! What the tests of the importers share: imports of bytes, the check against the class, and damage.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tags::Class;
use tags::pack::Prepared;

use crate::{ImportError, Importer, Options, Product, Source};

/// Imports bytes with options, without files beside.
pub fn import(importer: &Importer, name: &str, bytes: &[u8], given: &[(&str, &str)]) -> Result<Product, ImportError> {
    import_beside(importer, name, bytes, given, &|name| Err(format!("no file {name}")))
}

/// Imports bytes with options and files beside. The product is checked against nothing.
pub fn import_beside(
    importer: &Importer,
    name: &str,
    bytes: &[u8],
    given: &[(&str, &str)],
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Product, ImportError> {
    let mut options = Options::new(importer.options);
    for (option, value) in given {
        options.set(option, value).unwrap();
    }
    let products = (importer.import)(&Source::new(name, "", bytes, beside), &options)?;
    assert_eq!(products.len(), 1);
    Ok(products.into_iter().next().unwrap())
}

/// The text of a field of a product.
pub fn field<'a>(product: &'a Product, name: &str) -> &'a str {
    &product.fields.iter().find(|(field, _)| field == name).unwrap_or_else(|| panic!("no field {name}")).1
}

/// Packs the fields of a product as a tag of its class: nothing may be reported, and the fields are in the order of the class.
pub fn check_class(product: &Product, class: Class) {
    assert_eq!(product.class, class.name);
    assert!(class.root().field(product.bulk_field).is_some());
    let mut places = product.fields.iter().map(|(name, _)| class.root().field(name).expect("a field of the class").0);
    assert!(places.clone().is_sorted(), "{:?}", places.by_ref().collect::<Vec<_>>());
    let mut text = format!("@{}\n", class.name);
    for (name, value) in &product.fields {
        text += &format!("!set {name} {value}\n");
    }
    let outcome = Prepared::new(class).pack_text(&text);
    assert!(outcome.reports.is_empty(), "{:#?}\n{text}", outcome.reports);
}

/// Imports a file truncated at every length (of a large file, at 1,500 lengths), and with `flips` times 1 to 8 flipped bits: each gives a product or an
/// error, and never a panic. The seed is fixed, and printed with the case that fails.
pub fn check_damage(importer: &Importer, name: &str, bytes: &[u8], flips: u64) {
    let attempt = |what: &str, bytes: &[u8]| {
        let result = catch_unwind(AssertUnwindSafe(|| import(importer, name, bytes, &[]).is_ok()));
        assert!(result.is_ok(), "{name}: {what} made the importer panic");
    };
    import(importer, name, bytes, &[]).expect("the file is sound before it is damaged");
    for length in (0..bytes.len()).step_by(bytes.len() / 1500 + 1) {
        attempt(&format!("truncation to {length} bytes"), &bytes[..length]);
    }
    for seed in 0..flips {
        let mut damaged = bytes.to_vec();
        flip_bits(&mut damaged, seed);
        attempt(&format!("damage with seed {seed}"), &damaged);
    }
}

/// Flips 1 to 8 bits.
pub fn flip_bits(bytes: &mut [u8], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x0123_4567_89ab_cdef);
    for _ in 0..=seed % 8 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = (state >> 33) as usize % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}
