//! New tags are valid.

use crate::common;

use common::classes;
use forge::new_tag::blank;
use tags::pack::Prepared;

#[test]
fn a_new_tag_is_valid_and_documents_its_fields() {
    for class in classes() {
        let text = blank(&class);
        let made = Prepared::new(class).pack_text(&text);
        assert_eq!(made.reports, [], "{text}");
    }
    let text = blank(&common::ship());
    assert!(
        text.starts_with("@ship\n\n// How much it can take.\n// a number, 0 to 1000000 t\n// !set hull 100\n"),
        "{text}"
    );
    assert!(text.contains("// a list of records with marker, weapon, delay\n!set mounts []\n"), "{text}");
    assert!(text.contains("// one of \"small\", \"large\"\n!set size \"small\"\n"), "{text}");
    assert!(text.contains("\n// !set pixels …\n"), "{text}");
}

#[test]
fn help_and_defaults_of_any_kind_stay_comments() {
    let mut class = common::weapon();
    (class.version, class.help) = (3, "First.\n!set damage 900".to_string());
    class.records[0].fields[0].help = "? no note\n\n!set damage 999".to_string();
    class.records[0].fields[0].default = Some("1 +\n2".to_string());
    let text = blank(&class);
    assert!(text.starts_with("@weapon 3\n// First.\n// !set damage 900\n"), "{text}");
    let made = Prepared::new(class).pack_text(&text);
    assert_eq!(made.reports, [], "{text}");
}
