//! Arrays of bitmaps when there is no more room.

use std::sync::Arc;

use base::{StringId, Vec3};
use tags::Bulk;
use view::{BulkKind, BulkSource, PartState};

use super::*;
use crate::gpu::textures::{BitmapWish, TextureArrays, Upload};
use crate::resources::{ContentSource, Resources};

/// Grey images of 256 × 256 texels.
struct Grey;

impl BulkSource for Grey {
    fn part(&self, _: &Bulk, _: u32, _: BulkKind) -> PartState {
        PartState::Ready(Arc::from(vec![128; 256 * 256 * 4]))
    }
}

const BITMAP: &str = "@bitmap\n!set width 256\n!set height 256\n!set levels [{ width 256, height 256, part 0 }]\n";

#[test]
fn full_arrays_fall_back_to_smaller_sides_and_say_so_once() {
    with_renderer(|renderer| {
        renderer.sound_stage().unwrap();
        let device = &renderer.stage.as_ref().unwrap().device;
        let (device, queue) = (&device.device, &device.queue);
        let names: Vec<String> = (0..8).map(|number| format!("grey{number}.bitmap")).collect();
        let tags: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), BITMAP)).collect();
        let content = Scene::with_tags(&tags, Vec3::ZERO, Vec3::X, 1.0).content;
        let upload = Upload { device, queue, source: ContentSource { content: &content, bulk: &Grey } };
        let mut resources = Resources::new(2048);
        let mut arrays = TextureArrays::new(device, queue);
        // Room for three of them at their own side, and for three at the next smaller one besides the checker pattern.
        arrays.bytes_max = 1_450_000;
        let mut codes = |arrays: &mut TextureArrays, numbers: std::ops::Range<usize>| -> Vec<u32> {
            arrays.begin_picture();
            let code =
                |name: &String| arrays.code(&upload, &mut resources, BitmapWish::first(StringId::from(name.as_str())));
            let codes = names[numbers].iter().map(code).collect();
            resources.begin_picture();
            codes
        };
        let first = codes(&mut arrays, 0..8);
        let size = |code: &u32| code >> 16 & 7;
        assert_eq!(first[..6].iter().map(size).collect::<Vec<_>>(), [1, 1, 1, 0, 0, 0]);
        assert_eq!(first[6], first[7], "both are the checker pattern");
        assert!(!first[..6].contains(&first[6]));
        assert_eq!((codes(&mut arrays, 0..8), arrays.decoded), (first.clone(), 6), "nothing is decoded again");
        // What was not seen for long makes room.
        for _ in 0..130 {
            codes(&mut arrays, 6..8);
        }
        assert_eq!(codes(&mut arrays, 6..8).iter().map(size).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(arrays.decoded, 8);
        let reports = resources.take_reports();
        let of = |words: &str| reports.iter().filter(|report| report.contains(words)).count();
        assert_eq!((reports.len(), of("128 × 128 texels"), of("a checker pattern")), (5, 3, 2), "{reports:?}");
        assert!(reports[0].starts_with("grey3.bitmap: the memory for bitmaps is full"), "{reports:?}");
    });
}

#[test]
fn a_bitmap_keeps_its_own_side_where_there_is_room() {
    with_renderer(|renderer| {
        renderer.sound_stage().unwrap();
        let device = &renderer.stage.as_ref().unwrap().device;
        let (device, queue) = (&device.device, &device.queue);
        let content = Scene::with_tags(&[("grey.bitmap", BITMAP)], Vec3::ZERO, Vec3::X, 1.0).content;
        let upload = Upload { device, queue, source: ContentSource { content: &content, bulk: &Grey } };
        let (mut resources, mut arrays) = (Resources::new(2048), TextureArrays::new(device, queue));
        let mut code = |is_smooth| {
            let wish = BitmapWish { is_smooth, ..BitmapWish::first(StringId::from("grey.bitmap")) };
            arrays.code(&upload, &mut resources, wish)
        };
        let (smooth, sharp) = (code(true), code(false));
        assert_eq!((smooth >> 16 & 7, sharp >> 16 & 7, smooth >> 23, sharp >> 23), (1, 1, 0, 1));
        assert_ne!(smooth & 0xffff, sharp & 0xffff, "each is stretched in its own way");
        assert_eq!(resources.take_reports(), Vec::<String>::new());
    });
}
