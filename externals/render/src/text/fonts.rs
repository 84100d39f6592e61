//! The fonts: the embedded one, and those of tags with their fallbacks.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::StringId;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfoOverride, SourceCache};
use parley::{FontContext, FontData};
use swash::FontRef;
use tags::{Key, Library};
use view::classes::Font;
use view::{BulkKind, BulkSource, PartState};

use crate::limits::{FONT_BYTES_MAX, FONTS_MAX};
use crate::reports::Reports;

/// The embedded font: Latin, Greek, Cyrillic and symbols of Inter.
const EMBEDDED: &[u8] = include_bytes!("../../fonts/Inter-Regular-subset.otf");
/// The name of the family of the embedded font.
const EMBEDDED_FAMILY: &str = "embedded";
/// The most fonts that are asked for one character.
const FALLBACKS_MAX: usize = 16;

/// All fonts.
pub struct Fonts {
    pub(super) context: FontContext,
    /// The fonts that styles named.
    wanted: BTreeMap<StringId, FontState>,
    /// The fonts that layouts use, by their numbers.
    used: Vec<FontData>,
    identity: Option<u64>,
}

#[derive(Clone, Debug)]
enum FontState {
    /// Asked for, and not there yet.
    Wanted,
    Ready {
        key: Key,
        scale: f32,
        fallbacks: Vec<StringId>,
    },
    Failed {
        key: Option<Key>,
    },
}

impl Fonts {
    pub fn new() -> Fonts {
        let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        let name = FontInfoOverride { family_name: Some(EMBEDDED_FAMILY), ..FontInfoOverride::default() };
        collection.register_fonts(Blob::new(Arc::new(EMBEDDED)), Some(name));
        let context = FontContext { collection, source_cache: SourceCache::default() };
        Fonts { context, wanted: BTreeMap::new(), used: Vec::new(), identity: None }
    }

    /// Takes fonts that are wanted and looks for changed ones. True if layouts have to be made again.
    pub fn update(&mut self, content: &Library, bulk: &dyn BulkSource, reports: &mut Reports) -> bool {
        let is_other = self.identity != Some(content.identity());
        self.identity = Some(content.identity());
        let mut is_changed = false;
        for tag in self.wanted.keys().copied().collect::<Vec<_>>() {
            let is_due = match &self.wanted[&tag] {
                FontState::Wanted => true,
                FontState::Ready { key, .. } => is_other && content.key(tag) != Some(*key),
                FontState::Failed { key } => is_other && content.key(tag) != *key,
            };
            if is_due && let Some(state) = self.load(tag, content, bulk, reports) {
                if let FontState::Ready { fallbacks, .. } = &state {
                    fallbacks.clone().into_iter().for_each(|fallback| self.want(fallback));
                }
                self.wanted.insert(tag, state);
                is_changed = true;
            }
        }
        is_changed
    }

    /// The new state of a font; none while it is being loaded.
    fn load(
        &mut self,
        tag: StringId,
        content: &Library,
        bulk: &dyn BulkSource,
        reports: &mut Reports,
    ) -> Option<FontState> {
        let key = content.key(tag);
        let failed = Some(FontState::Failed { key });
        let (Some(font), Some(version)) = (content.get_as::<Font>(tag), key) else {
            reports.about(content, tag, || "no font tag: the embedded font is used".to_string());
            return failed;
        };
        let bytes = match bulk.part(&font.data, font.part, BulkKind::Texture) {
            PartState::Ready(bytes) => bytes,
            PartState::Loading => return None,
            PartState::Failed => {
                reports.about(content, tag, || "its font file cannot be read: the embedded font is used".to_string());
                return failed;
            }
        };
        let is_sound = bytes.len() <= FONT_BYTES_MAX && FontRef::from_index(&bytes, 0).is_some();
        let family = family_name(tag);
        if let Some(id) = self.context.collection.family_id(&family)
            && let Some(info) = self.context.collection.family(id)
        {
            for font in info.fonts() {
                self.context.collection.unregister_font(id, font.width(), font.style(), font.weight());
            }
        }
        let name = FontInfoOverride { family_name: Some(&family), ..FontInfoOverride::default() };
        if !is_sound || self.context.collection.register_fonts(Blob::new(Arc::new(bytes)), Some(name)).is_empty() {
            reports.about(content, tag, || "its bytes are no font file: the embedded font is used".to_string());
            return failed;
        }
        let fallbacks = font.each(&font.fallbacks).iter().take(FALLBACKS_MAX).map(|fallback| fallback.id()).collect();
        let scale = if font.scale.is_finite() { base::number::clamp(font.scale, 0.1, 10.0) } else { 1.0 };
        Some(FontState::Ready { key: version, scale, fallbacks })
    }

    /// Notes that a font is needed.
    fn want(&mut self, tag: StringId) {
        if !tag.is_none() && self.wanted.len() < FONTS_MAX {
            self.wanted.entry(tag).or_insert(FontState::Wanted);
        }
    }

    /// The names of the families for a font tag, in the order in which they are asked, and the factor of its size.
    pub fn families(&mut self, tag: StringId) -> (Vec<String>, f32) {
        self.want(tag);
        let (mut names, mut factor) = (Vec::new(), 1.0);
        let mut queue = vec![tag];
        let mut at = 0;
        while at < queue.len() && names.len() < FALLBACKS_MAX {
            let next = queue[at];
            if let Some(FontState::Ready { scale, fallbacks, .. }) = self.wanted.get(&next) {
                if at == 0 {
                    factor = *scale;
                }
                names.push(family_name(next));
                queue
                    .extend(fallbacks.iter().filter(|fallback| !queue.contains(fallback)).copied().collect::<Vec<_>>());
            }
            at += 1;
        }
        names.push(EMBEDDED_FAMILY.to_string());
        (names, factor)
    }

    /// The number of a font that a layout uses; none if there are too many.
    pub fn number(&mut self, font: &FontData) -> Option<u16> {
        if let Some(number) = self.used.iter().position(|known| known == font) {
            return u16::try_from(number).ok();
        }
        // Fonts of former versions stay until then: their glyphs may still be in the atlas.
        if self.used.len() >= FONTS_MAX * 4 {
            return None;
        }
        self.used.push(font.clone());
        u16::try_from(self.used.len() - 1).ok()
    }

    /// The font of a number.
    pub fn font(&self, number: u16) -> Option<FontRef<'_>> {
        let font = self.used.get(usize::from(number))?;
        FontRef::from_index(font.data.data(), font.index as usize)
    }
}

fn family_name(tag: StringId) -> String {
    format!("tag {tag}")
}
