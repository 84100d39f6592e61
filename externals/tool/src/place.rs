//! A point in the world, as people write it on a command line.

use base::Vec3;

/// Parses a point: `1,-2,0.5`. The error is text because clap prints it behind the name of the argument.
pub fn read_place(text: &str) -> Result<Vec3, String> {
    let wrong = || format!("expected three numbers as in 10,-4,2.5; found \"{text}\"");
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|number| number.trim().parse::<f32>()).collect();
    let numbers: [f32; 3] = numbers.map_err(|_| wrong())?.try_into().map_err(|_| wrong())?;
    let place = Vec3::from_array(numbers);
    if place.is_finite() && place.abs().max_component() <= 1e9 { Ok(place) } else { Err(wrong()) }
}
