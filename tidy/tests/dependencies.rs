//! Each crate uses only the crates that its row in `ARCHITECTURE.md` allows, and is named after its folder.

use tidy::complaint::{expect_none, expect_one};
use tidy::dependencies::{check, check_planned};
use tidy::table::{Allowance, Table};
use tidy::tree::Tree;

#[test]
fn the_crates_of_the_repository_match_the_table() {
    expect_none(&check(&Tree::here()));
}

const PAGE: &str = "
| folder | crate | question | may use |
|---|---|---|---|
| core | base | numbers | – |
| core | state | worlds | base |
| core | state_derive | a part | – |
| foundation | net | machines | base state |
| externals | host | the machine | base state |
| astrarium | astrarium | the door | all but net |
| games | sandbox, … | play | astrarium |
| externals | tool | commands | all |

- Tests may also use: host sandbox
- Unsafe code may be in: core/state
";

const ROOT: &str = "
[workspace.dependencies]
astrarium = { path = \"astrarium\" }
base = { package = \"astrarium-base\", path = \"core/base\" }
state = { package = \"astrarium-state\", path = \"core/state\" }
net = { package = \"astrarium-net\", path = \"foundation/net\" }
host = { package = \"astrarium-host\", path = \"externals/host\" }
sandbox = { package = \"astrarium-sandbox\", path = \"games/sandbox\" }
libm = \"1\" # base
";

/// One crate in a tree with the table above.
fn check_one(path: &str, manifest: &str) -> Vec<tidy::complaint::Complaint> {
    let manifest = format!("{manifest}\n[lints]\nworkspace = true\n");
    let library = path.replace("Cargo.toml", "src/lib.rs");
    check(&Tree::of(&[("ARCHITECTURE.md", PAGE), ("Cargo.toml", ROOT), (path, &manifest), (&library, "")]))
}

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"astrarium-{name}\"\n[lib]\nname = \"{name}\"\n{rest}")
}

#[test]
fn exactly_the_crates_that_do_not_exist_are_marked_as_planned() {
    expect_none(&check_planned(&Tree::here()));
    let base = ("core/base/Cargo.toml", "[package]\nname = \"astrarium-base\"\n");
    let check = |rows: &str| {
        let page = format!("| folder | crate | question | may use |\n|---|---|---|---|\n{rows}");
        check_planned(&Tree::of(&[("ARCHITECTURE.md", &page), base]))
    };
    expect_none(&check("| core | base | numbers | – |\n| core | net *planned* | machines | base |\n"));
    expect_one(
        &check("| core | base | numbers | – |\n| core | net | machines | base |\n"),
        "ARCHITECTURE.md:4: there is no crate net",
    );
    expect_one(&check("| core | base *planned* | numbers | – |\n"), "base exists: remove *planned*");
}

#[test]
fn a_crate_may_use_the_crates_of_its_row() {
    let text = manifest("state", "[dependencies]\nbase.workspace = true\nlibm.workspace = true");
    expect_none(&check_one("core/state/Cargo.toml", &text));
}

#[test]
fn a_dependency_outside_of_the_row_is_refused() {
    let text = manifest("state", "[dependencies]\nhost.workspace = true");
    expect_one(&check_one("core/state/Cargo.toml", &text), "core/state/Cargo.toml:6: state may not use host");
    let text = manifest("state", "[build-dependencies]\nnet = { workspace = true }");
    expect_one(&check_one("core/state/Cargo.toml", &text), "state may not use net");
    let text = manifest("state", "[dependencies]\nmachine = { package = \"astrarium-net\", workspace = true }");
    expect_one(&check_one("core/state/Cargo.toml", &text), "state may not use net");
}

#[test]
fn tests_may_also_use_the_crates_listed_under_the_table() {
    let text = manifest("state", "[dev-dependencies]\nhost.workspace = true\nsandbox.workspace = true");
    expect_none(&check_one("core/state/Cargo.toml", &text));
    let text = manifest("state", "[dev-dependencies]\nnet.workspace = true");
    expect_one(&check_one("core/state/Cargo.toml", &text), "state may not use net");
}

#[test]
fn all_means_all_rows_above_except_the_named_ones() {
    let door = "[package]\nname = \"astrarium\"\n[dependencies]\n";
    expect_none(&check_one("astrarium/Cargo.toml", &format!("{door}host.workspace = true")));
    expect_one(&check_one("astrarium/Cargo.toml", &format!("{door}net.workspace = true")), "may not use net");
    expect_one(&check_one("astrarium/Cargo.toml", &format!("{door}sandbox.workspace = true")), "may not use sandbox");
    let text = manifest("tool", "[dependencies]\nsandbox.workspace = true");
    expect_none(&check_one("externals/tool/Cargo.toml", &text));
}

#[test]
fn a_crate_without_a_row_is_refused() {
    expect_one(&check_one("core/extra/Cargo.toml", &manifest("extra", "")), "extra of core has no row");
    expect_one(&check_one("externals/state/Cargo.toml", &manifest("state", "")), "state of externals has no row");
}

#[test]
fn an_open_row_stands_for_the_other_crates_of_its_folder() {
    expect_none(&check_one("games/fleet/Cargo.toml", &manifest("fleet", "")));
}

#[test]
fn a_crate_is_named_after_its_folder() {
    let text = "[package]\nname = \"base\"\n[lib]\nname = \"base\"";
    expect_one(&check_one("core/base/Cargo.toml", text), "the package must be named astrarium-base");
    let text = "[package]\nname = \"astrarium-base\"";
    expect_one(&check_one("core/base/Cargo.toml", text), "the library must be named base");
    let text = "[package]\nname = \"astrarium-state-derive\"\n[lib]\nname = \"state_derive\"";
    expect_none(&check_one("core/state/derive/Cargo.toml", text));
}

#[test]
fn a_crate_inherits_the_lints_of_the_workspace() {
    let text = manifest("base", "");
    let tree = Tree::of(&[("ARCHITECTURE.md", PAGE), ("Cargo.toml", ROOT), ("core/base/Cargo.toml", &text)]);
    expect_one(&check(&tree), "the lints of the workspace do not apply");
}

#[test]
fn only_the_root_manifest_has_the_paths_of_crates() {
    let text = manifest("state", "[dependencies]\nbase = { package = \"astrarium-base\", path = \"../base\" }");
    expect_one(&check_one("core/state/Cargo.toml", &text), "write base.workspace = true");
}

#[test]
fn peers_are_not_checked() {
    let text = "[package]\nname = \"peers\"\n[dependencies]\nbevy = \"1\"";
    let tree = Tree::of(&[("ARCHITECTURE.md", PAGE), ("Cargo.toml", ROOT), ("peers/Cargo.toml", text)]);
    expect_none(&check(&tree));
}

fn check_table(rows: &str) -> Vec<tidy::complaint::Complaint> {
    Table::read(&format!("| folder | crate | question | may use |\n|---|---|---|---|\n{rows}")).complaints()
}

#[test]
fn a_row_lists_only_rows_above_it() {
    expect_none(&check_table("| core | a | ? | – |\n| core | b | ? | a |"));
    expect_one(&check_table("| core | a | ? | b |\n| core | b | ? | – |"), "ARCHITECTURE.md:3: b is not a row above");
    expect_one(&check_table("| core | a | ? | a |"), "a is not a row above");
}

#[test]
fn a_layer_does_not_list_a_higher_one() {
    expect_one(&check_table("| externals | a | ? | – |\n| core | b | ? | a |"), "core may not use externals");
    expect_one(&check_table("| foundation | a | ? | – |\n| core | b | ? | a |"), "core may not use foundation");
    expect_one(&check_table("| games | a | ? | – |\n| foundation | b | ? | a |"), "foundation may not use games");
    expect_none(&check_table("| core | a | ? | – |\n| foundation | b | ? | a |"));
}

#[test]
fn a_table_exists_and_has_one_row_per_crate() {
    expect_one(&check_table("| core | a | ? | – |\n| games | a, … | ? | – |"), "a has two rows");
    expect_one(&Table::read("no table").complaints(), "there is no table");
}

#[test]
fn other_tables_of_the_page_are_not_read() {
    let table = Table::read(&format!("| cycle | length |\n|---|---|\n| brush | 10 ms |\n\n{PAGE}"));
    assert_eq!(table.rows.len(), 8);
    assert_eq!(table.rows[5].allowance, Allowance::AllBut(vec!["net".to_owned()]));
    assert_eq!(table.for_tests, ["host", "sandbox"]);
    assert_eq!(table.with_unsafe, ["core/state"]);
}
