//! Sounds of every format are decoded, measured and encoded; damaged ones are refused.

mod files;
mod formats;
mod processing;

use tags::Tag;
use view::classes::Sound;

use crate::sound::IMPORTER;
use crate::trial::{check_class, import};
use crate::{ImportError, Product};

/// A product of the importer, checked against the class.
fn made(name: &str, bytes: &[u8], options: &[(&str, &str)]) -> Product {
    let product = import(&IMPORTER, name, bytes, options).unwrap();
    check_class(&product, Sound::class());
    product
}

fn refused(name: &str, bytes: &[u8], options: &[(&str, &str)]) -> ImportError {
    import(&IMPORTER, name, bytes, options).unwrap_err()
}

/// A sine of so many hertz and decibels (0 is full scale).
fn sine(rate: u32, seconds: f64, hertz: f64, decibels: f64) -> Vec<f32> {
    let peak = 10f64.powf(decibels / 20.0);
    let sample =
        |frame: u32| (peak * (std::f64::consts::TAU * hertz * f64::from(frame) / f64::from(rate)).sin()) as f32;
    (0..(seconds * f64::from(rate)).round() as u32).map(sample).collect()
}
