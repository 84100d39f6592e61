//! The options of the importer of bitmaps.

use view::classes::bitmap::{AlphaKind, BitmapKind, ColourSpace, TexelFormat};

use crate::bitmap::compress::Effort;
use crate::bitmap::raster::Raster;
use crate::error::ImportError;
use crate::limits::SIDE_MAX;
use crate::lscript::variant;
use crate::options::{OptionRow, Options};

/// The table.
pub const OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "kind",
        default: "auto",
        words: &["auto", "2d", "normal_map", "cube", "sequence"],
        help: "What the image is. `auto` takes files whose names end in `_n`, `_nrm`, `_normal` or `_normals` for normal \
               maps. `cube` cuts a strip (6:1, 1:6) or a cross (4:3, 3:4) into six faces. `sequence` takes a numbered \
               file such as `fire.0001.png` as the first frame, and the files that follow it as further frames.",
    },
    OptionRow {
        name: "format",
        default: "auto",
        words: &["auto", "bc1", "bc3", "bc4", "bc5", "bc7", "bc6h", "rgba8", "rgba16f"],
        help: "The format of the texels. `auto` chooses by content: bc5 for normal maps, bc4 for one channel, bc7 for \
               alpha, bc1 for opaque colours where the loss is invisible and bc7 where it is not, bc6h for floats; \
               images whose sides are not multiples of 4 are not compressed.",
    },
    OptionRow {
        name: "quality",
        default: "normal",
        words: &["fast", "normal", "high"],
        help: "How much time the compression to bc7 and bc6h takes: `fast` is for a quick look, `normal` spends time on the \
               blocks where the loss would be visible, `high` on all of them, and takes up to ten times as long.",
    },
    OptionRow {
        name: "colour_space",
        default: "auto",
        words: &["auto", "srgb", "linear"],
        help: "How the file encodes colours. `auto` takes normal maps, images of one channel and floats as linear, and \
               everything else as sRGB. Roughness, masks and other values in a colour image need `linear`.",
    },
    OptionRow {
        name: "alpha",
        default: "auto",
        words: &["auto", "none", "mask", "blend"],
        help: "What the alpha channel means: `none` ignores it, `mask` cuts out texels below one half and preserves \
               the covered area in all mip levels, `blend` is opacity. `auto` takes an alpha of only 0 and 1 for a mask.",
    },
    OptionRow {
        name: "premultiply",
        default: "false",
        words: &[],
        help: "Whether the colours are multiplied by alpha, in linear light: for effects that mix blending and adding.",
    },
    OptionRow {
        name: "mips", default: "true", words: &[], help: "Whether there are mip levels down to 1 × 1 texels."
    },
    OptionRow {
        name: "max_size",
        default: "8192",
        words: &[],
        help: "The largest side in texels, 1 to 16384. A larger image is halved until it fits.",
    },
    OptionRow {
        name: "normal_y",
        default: "up",
        words: &["up", "down"],
        help: "Where green points in a normal map: `up` as OpenGL, Blender and glTF have it, `down` as DirectX has it.",
    },
];

/// The values of the options. `None` is `auto`.
pub struct BitmapWishes {
    pub kind: Option<BitmapKind>,
    pub format: Option<TexelFormat>,
    pub effort: Effort,
    pub space: Option<ColourSpace>,
    pub alpha: Option<AlphaKind>,
    pub is_premultiplying: bool,
    pub has_mips: bool,
    pub size_max: u32,
    pub is_green_down: bool,
}

impl BitmapWishes {
    pub fn read(options: &Options) -> Result<BitmapWishes, ImportError> {
        Ok(BitmapWishes {
            kind: variant(options.word("kind")),
            format: variant(options.word("format")),
            effort: match options.word("quality") {
                "fast" => Effort::Fast,
                "high" => Effort::High,
                _ => Effort::Normal,
            },
            space: variant(options.word("colour_space")),
            alpha: variant(options.word("alpha")),
            is_premultiplying: options.is_on("premultiply"),
            has_mips: options.is_on("mips"),
            size_max: options.number("max_size", 1.0, f64::from(SIDE_MAX))? as u32,
            is_green_down: options.word("normal_y") == "down",
        })
    }

    /// The colour space of a file.
    pub fn space_of(&self, kind: BitmapKind, raster: &Raster) -> Result<ColourSpace, ImportError> {
        let is_channels = matches!(self.format, Some(TexelFormat::Bc4 | TexelFormat::Bc5));
        let is_values = kind == BitmapKind::NormalMap || is_channels;
        match self.space {
            Some(ColourSpace::Srgb) if is_values => {
                let reason = "normal maps, bc4 and bc5 are linear; leave it at auto".to_string();
                Err(ImportError::Option { name: "colour_space", reason })
            }
            Some(space) => Ok(space),
            None if is_values || raster.is_hdr() || raster.channels == 1 => Ok(ColourSpace::Linear),
            None => Ok(ColourSpace::Srgb),
        }
    }
}
