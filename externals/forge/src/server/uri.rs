//! URIs and paths: a file as a client names it (`file:///a/b.ship`), as the disk does (`/a/b.ship`), and as a tag's
//! path in its tree (`b.ship`).

use lsp_types::Uri;

/// The root folder of a tree of tags.
pub const TAGS: &str = "tags";

/// The folder of generated files, beside a tree.
pub const MADE: &str = ".astrarium";

/// The folder in it for the headers of games' classes.
pub const CLASSES: &str = "classes";

/// Whether a header was written by a game.
pub fn is_made(header: &str) -> bool {
    folder_of(header).ends_with(&format!("/{MADE}/{CLASSES}"))
}

/// The path of a file URI. None for other URIs.
pub fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://").or_else(|| uri.strip_prefix("FILE://"))?;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let path = decoded(&rest[..end])?;
    let path = path.strip_prefix("localhost").unwrap_or(&path).replace('\\', "/");
    if path.contains('\0') {
        return None;
    }
    let bytes = path.as_bytes();
    let has_drive = matches!(bytes, [b'/', drive, b':', ..] if drive.is_ascii_alphabetic());
    Some(match path.starts_with('/') {
        true if has_drive => path[1..].to_string(),
        true => path,
        // A network share.
        false => format!("//{path}"),
    })
}

/// The URI of a path.
pub fn uri_of(path: &str) -> Option<Uri> {
    let mut text = String::from(if path.starts_with("//") { "file:" } else { "file://" });
    if !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text.parse().ok()
}

/// The root of the tree that a path belongs to: its last folder called `tags`.
pub fn tags_root(path: &str) -> Option<&str> {
    let folder = folder_of(path);
    let end = folder.rmatch_indices(TAGS).map(|(at, _)| (at, at + TAGS.len())).find(|(at, end)| {
        let is_start = *at == 0 || folder.as_bytes()[at - 1] == b'/';
        is_start && (*end == folder.len() || folder.as_bytes()[*end] == b'/')
    })?;
    folder.get(..end.1)
}

/// The folder of a file, without a trailing `/`.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path relative to a folder. None if it is not in it.
pub fn within<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// The extension of a file; may be empty.
pub fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A file's name without its extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_round_trip() {
        for (uri, path) in [
            ("file:///a/b.ship", "/a/b.ship"),
            ("file:///a%20b/%C3%BC.ship", "/a b/ü.ship"),
            ("file:///c%3A/games/x.ship", "c:/games/x.ship"),
            ("file://share/a", "//share/a"),
        ] {
            assert_eq!(path_of(uri).as_deref(), Some(path));
            assert_eq!(uri_of(path).unwrap().as_str(), uri);
        }
        assert_eq!(path_of("file:///C:/x").as_deref(), Some("C:/x"));
        for none in ["untitled:Untitled-1", "file:///%", "file:///%zz", "file:///%00", "file:///%ff", ""] {
            assert_eq!(path_of(none), None, "{none}");
        }
    }

    #[test]
    fn a_tree_begins_at_the_nearest_folder_called_tags() {
        for (path, root) in [
            ("/g/tags/a/b.ship", Some("/g/tags")),
            ("/tags/g/tags/b.ship", Some("/tags/g/tags")),
            ("/g/tagsx/b.ship", None),
            ("/g/xtags/b.ship", None),
            ("/g/tags", None),
            ("", None),
        ] {
            assert_eq!(tags_root(path), root, "{path}");
        }
        assert_eq!(within("/g/tags/a.ship", "/g/tags"), Some("a.ship"));
        assert_eq!(within("/g/tagsa", "/g/tags"), None);
    }
}
