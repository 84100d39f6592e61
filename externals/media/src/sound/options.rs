//! The options of the importer of sounds.

use view::classes::sound::SampleFormat;

use crate::error::ImportError;
use crate::lscript::variant;
use crate::options::{OptionRow, Options};

/// The table.
pub const OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "normalise",
        default: "true",
        words: &[],
        help: "Whether the sound is brought to the target loudness. Otherwise its samples stay as they are.",
    },
    OptionRow {
        name: "target_loudness",
        default: "-18",
        words: &[],
        help: "The loudness of the imported sound in LUFS, -60 to 0: equal numbers sound equally loud. -18 leaves room for \
               peaks, and games mix downwards from it. A gain that would lift the true peak above -1 dBTP is reduced.",
    },
    OptionRow {
        name: "format",
        default: "ima_adpcm",
        words: &["ima_adpcm", "pcm16"],
        help: "The format of the samples: `ima_adpcm` takes a quarter of the memory, `pcm16` is exact.",
    },
    OptionRow {
        name: "loop",
        default: "file",
        words: &["file", "none", "whole"],
        help: "What loops: `file` takes the loop of the file, if a WAVE file has a `smpl` chunk or an AIFF file a sustain \
               loop; `whole` repeats all of it; `none` plays it once.",
    },
    OptionRow {
        name: "mono",
        default: "false",
        words: &[],
        help: "Whether all channels are mixed into one. Sounds with a place in the world should have one channel.",
    },
    OptionRow {
        name: "sample_rate",
        default: "keep",
        words: &["keep", "8000", "11025", "16000", "22050", "24000", "32000", "44100", "48000", "96000"],
        help: "The sample rate in hertz. `keep` leaves that of the file.",
    },
    OptionRow {
        name: "permutations",
        default: "false",
        words: &[],
        help: "Whether the files that follow a numbered one (`shot_02.wav`, `shot_03.wav` after `shot_01.wav`) become \
               further permutations of the same sound. The loop is that of the first.",
    },
];

/// What loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopWish {
    File,
    None,
    Whole,
}

/// The values of the options.
pub struct SoundWishes {
    pub target_loudness: Option<f64>,
    pub format: SampleFormat,
    pub looping: LoopWish,
    pub is_mono: bool,
    /// `None` keeps the rate of the file.
    pub rate: Option<u32>,
    pub has_permutations: bool,
}

impl SoundWishes {
    pub fn read(options: &Options) -> Result<SoundWishes, ImportError> {
        let target = options.number("target_loudness", -60.0, 0.0)?;
        Ok(SoundWishes {
            target_loudness: options.is_on("normalise").then_some(target),
            format: variant(options.word("format")).unwrap_or(SampleFormat::Pcm16),
            looping: match options.word("loop") {
                "none" => LoopWish::None,
                "whole" => LoopWish::Whole,
                _ => LoopWish::File,
            },
            is_mono: options.is_on("mono"),
            rate: options.word("sample_rate").parse().ok(),
            has_permutations: options.is_on("permutations"),
        })
    }
}
