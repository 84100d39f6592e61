//! Looks: what a widget is drawn with, and how looks are blended.

use base::number::{clamp, lerp, pow, round};
use base::{StringId, Vec2};
use tags::Colour;
use view::{Rect, Rgba};

use crate::classes::interface::WidgetKind;
use crate::classes::look::{LookRecord, StateName, TextAlign};

/// What a widget is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The colour that fills it.
    pub fill: Rgba,
    /// The colour of text, images and bars.
    pub colour: Rgba,
    /// The colour of the border.
    pub border: Rgba,
    /// The width of the border.
    pub border_width: f32,
    /// The radius of the corners.
    pub radius: f32,
    /// The font tag; none: the default font.
    pub font: StringId,
    /// The size of text.
    pub font_size: f32,
    /// Where lines lie in the width, from 0 to 1.
    pub text_align: f32,
    /// The bitmap tag; none: no image.
    pub bitmap: StringId,
    /// The part of the bitmap.
    pub part: Rect,
    /// The opacity.
    pub opacity: f32,
    /// By how much it is shifted.
    pub shift: Vec2,
}

/// The changes that a record makes to a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookChange {
    fill: Option<Rgba>,
    colour: Option<Rgba>,
    border: Option<Rgba>,
    border_width: Option<f32>,
    radius: Option<f32>,
    font: StringId,
    font_size: Option<f32>,
    text_align: Option<f32>,
    bitmap: StringId,
    part: Option<Rect>,
    opacity: Option<f32>,
    shift: Option<Vec2>,
}

const fn rgba(colour: u32) -> Rgba {
    let [red, green, blue, alpha] = colour.to_be_bytes();
    Rgba { red, green, blue, alpha }
}

/// The accent colour of interfaces without a style.
pub const ACCENT: Rgba = rgba(0xff_b4_3c_ff);

/// The whole of a bitmap.
pub const WHOLE: Rect = Rect { min: Vec2::new(0.0, 0.0), max: Vec2::new(1.0, 1.0) };

/// The look of a kind of widget in a state, without any style.
pub fn usual(kind: WidgetKind, state: StateName) -> Look {
    let mut look = Look {
        fill: rgba(0),
        colour: rgba(0xe8_ed_f4_ff),
        border: rgba(0),
        border_width: 0.0,
        radius: 0.0,
        font: StringId::NONE,
        font_size: 22.0,
        text_align: 0.0,
        bitmap: StringId::NONE,
        part: WHOLE,
        opacity: 1.0,
        shift: Vec2::new(0.0, 0.0),
    };
    match kind {
        WidgetKind::Button | WidgetKind::Toggle | WidgetKind::TextInput | WidgetKind::Slider => {
            (look.fill, look.border) = match state {
                StateName::Normal | StateName::Disabled => (rgba(0x1b_23_30_e6), rgba(0x3a_47_5a_ff)),
                StateName::Hovered => (rgba(0x27_34_49_f0), rgba(0x5a_6f_8f_ff)),
                StateName::Focused => (rgba(0x27_34_49_f0), ACCENT),
                // A switch that is on is not framed as if it had the focus.
                StateName::Pressed if kind == WidgetKind::Toggle => (rgba(0x3a_4f_73_ff), rgba(0x5a_6f_8f_ff)),
                StateName::Pressed => (rgba(0x3a_4f_73_ff), ACCENT),
            };
            (look.border_width, look.radius) = (1.5, 6.0);
            look.text_align = if kind == WidgetKind::Button { 0.5 } else { 0.0 };
        }
        WidgetKind::Bar => {
            (look.fill, look.border) = (rgba(0x0b_0f_16_c0), rgba(0x3a_47_5a_ff));
            (look.border_width, look.radius, look.colour) = (1.0, 3.0, ACCENT);
        }
        WidgetKind::DragBox => {
            (look.fill, look.border, look.border_width) = (Rgba { alpha: 0x28, ..ACCENT }, ACCENT, 1.5);
        }
        WidgetKind::Image => look.colour = rgba(0xff_ff_ff_ff),
        _ => {}
    }
    if kind == WidgetKind::Slider {
        look.colour = ACCENT;
    }
    if state == StateName::Disabled {
        look.opacity = 0.45;
    }
    look
}

impl LookChange {
    /// The changes of a record.
    pub fn of(record: &LookRecord) -> LookChange {
        LookChange {
            fill: record.fill.get().copied().map(srgb),
            colour: record.colour.get().copied().map(srgb),
            border: record.border.get().copied().map(srgb),
            border_width: record.border_width.get().copied(),
            radius: record.radius.get().copied(),
            font: record.font.id(),
            font_size: record.font_size.get().copied(),
            text_align: record.text_align.get().map(|align| match align.get() {
                TextAlign::Left => 0.0,
                TextAlign::Centre => 0.5,
                TextAlign::Right => 1.0,
            }),
            bitmap: record.bitmap.id(),
            part: record.part.get().map(|part| Rect { min: Vec2::new(part.x, part.y), max: Vec2::new(part.z, part.w) }),
            opacity: record.opacity.get().copied(),
            shift: record.shift.get().copied(),
        }
    }

    /// The look with these changes.
    pub fn apply(&self, look: &mut Look) {
        let id = |new: StringId, old: StringId| if new.is_none() { old } else { new };
        look.fill = self.fill.unwrap_or(look.fill);
        look.colour = self.colour.unwrap_or(look.colour);
        look.border = self.border.unwrap_or(look.border);
        look.border_width = self.border_width.unwrap_or(look.border_width);
        look.radius = self.radius.unwrap_or(look.radius);
        look.font = id(self.font, look.font);
        look.font_size = self.font_size.unwrap_or(look.font_size);
        look.text_align = self.text_align.unwrap_or(look.text_align);
        look.bitmap = id(self.bitmap, look.bitmap);
        look.part = self.part.unwrap_or(look.part);
        look.opacity = self.opacity.unwrap_or(look.opacity);
        look.shift = self.shift.unwrap_or(look.shift);
    }
}

impl Look {
    /// The look between two, without their images: those are drawn over each other.
    pub fn between(&self, to: &Look, part: f32) -> Look {
        Look {
            fill: mix(self.fill, to.fill, part),
            colour: mix(self.colour, to.colour, part),
            border: mix(self.border, to.border, part),
            border_width: lerp(self.border_width, to.border_width, part),
            radius: lerp(self.radius, to.radius, part),
            font_size: to.font_size,
            opacity: lerp(self.opacity, to.opacity, part),
            shift: self.shift.lerp(to.shift, part),
            ..*to
        }
    }
}

/// The colour between two. An invisible colour takes the tone of the other, so that nothing darkens while it fades.
pub fn mix(from: Rgba, to: Rgba, part: f32) -> Rgba {
    let tone = |colour: Rgba, other: Rgba| if colour.alpha == 0 { Rgba { alpha: 0, ..other } } else { colour };
    let (from, to) = (tone(from, to), tone(to, from));
    let channel = |from: u8, to: u8| byte(lerp(f32::from(from), f32::from(to), clamp(part, 0.0, 1.0)));
    Rgba {
        red: channel(from.red, to.red),
        green: channel(from.green, to.green),
        blue: channel(from.blue, to.blue),
        alpha: channel(from.alpha, to.alpha),
    }
}

/// The colour with its opacity multiplied.
pub fn faded(colour: Rgba, opacity: f32) -> Rgba {
    Rgba { alpha: byte(f32::from(colour.alpha) * clamp(opacity, 0.0, 1.0)), ..colour }
}

/// A tag's colour, in linear light, as sRGB.
pub fn srgb(colour: Colour) -> Rgba {
    let encode = |linear: f32| {
        let linear = clamp(linear, 0.0, 1.0);
        let encoded = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * pow(linear, 1.0 / 2.4) - 0.055 };
        byte(encoded * 255.0)
    };
    let alpha = byte(colour.opacity * 255.0);
    Rgba { red: encode(colour.red), green: encode(colour.green), blue: encode(colour.blue), alpha }
}

/// A colour written as `#rrggbb` or `#rrggbbaa`.
pub fn parse(text: &str) -> Option<Rgba> {
    let digits = text.strip_prefix('#')?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        6 => Some(rgba(number << 8 | 0xff)),
        8 => Some(rgba(number)),
        _ => None,
    }
}

/// A number as a byte; NaN is 0.
pub fn byte(value: f32) -> u8 {
    if value.is_finite() { round(clamp(value, 0.0, 255.0)) as u8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_encoded_and_mixed() {
        assert_eq!(parse("#ff8800"), Some(rgba(0xff_88_00_ff)));
        assert_eq!((parse("#ff88"), parse("ff8800"), parse("#gg8800")), (None, None, None));
        let white = Colour { red: 1.0, green: 1.0, blue: 1.0, opacity: 0.5 };
        assert_eq!(srgb(white), rgba(0xff_ff_ff_80));
        assert_eq!(mix(rgba(0x00_00_00_ff), rgba(0xff_ff_ff_ff), 0.5), rgba(0x80_80_80_ff));
        assert_eq!(mix(rgba(0), rgba(0xff_00_00_ff), 0.5), rgba(0xff_00_00_80), "the tone is kept while it appears");
    }

    #[test]
    fn a_later_change_replaces_only_what_it_gives() {
        let mut look = usual(WidgetKind::Button, StateName::Normal);
        let before = look;
        LookChange { radius: Some(9.0), ..LookChange::default() }.apply(&mut look);
        assert_eq!(look, Look { radius: 9.0, ..before });
    }
}
