//! Renders a view as a line drawing in SVG.
//!
//! Laws
//! 1. Painter's algorithm: far lines are drawn first. A solid covers the lines behind it, and shows the edges that face
//!    the camera.
//! 2. Fixed bodies are drawn first, as ground: their long lines would cut through the bodies on them. Annotations of
//!    bodies (contacts, joints, centers of mass, velocities) are drawn last.
//! 3. The same view and camera give the same bytes. The size is some sixty bytes per line, and the number of lines in a
//!    drawing is limited.

use std::fmt::Write;

use view::{Colour, Drawing, Kind, Line, Solid, Topic};

use crate::camera::{Camera, Seen, Spot};

/// The background colour.
const PAPER: Colour = Colour::of(0x10_20_1a);
/// The number of steps in which colours fade with the distance.
const STEPS: u32 = 8;
/// The fading of the farthest lines, of 255.
const FADED: u32 = 150;
/// The fading of a solid's inside.
const INSIDE: u8 = 200;
/// The maximum number of lines in one path.
const PIECE: usize = 512;

/// An item to be drawn, with its depth.
struct Drawn<'a> {
    depth: f32,
    what: What<'a>,
}

enum What<'a> {
    Line(&'a Line, Seen),
    Solid(&'a [Line], Vec<Spot>),
}

/// A picture of a drawing, with a caption.
pub fn draw(drawing: &Drawing, camera: &Camera, words: &str) -> String {
    let (bodies, signs) = arrange(drawing, camera);
    let [width, height] = camera.size;
    let mut out = SvgDrawing { text: String::new(), open: None };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out.text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">"
    );
    let _ = writeln!(out.text, "<title>{}</title>", escaped(words));
    let _ = writeln!(out.text, "<rect width=\"100%\" height=\"100%\" fill=\"#{:06x}\"/>", PAPER.digits());
    let _ = writeln!(out.text, "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">");
    let depths = span(&bodies);
    for drawn in &bodies {
        match &drawn.what {
            What::Line(line, seen) => out.line(faded(line.colour, drawn.depth, depths), 1.0, seen),
            What::Solid(lines, rim) => out.solid(lines, rim, drawn.depth, camera, depths),
        }
    }
    for drawn in &signs {
        if let What::Line(line, seen) = &drawn.what {
            out.line(line.colour, width_of(line.kind), seen);
        }
    }
    out.close();
    out.text.push_str("</g>\n");
    legend(&mut out.text, drawing, words, camera.size);
    out.text.push_str("</svg>\n");
    out.text
}

/// The items in order of drawing, farthest first: bodies, and the annotations over them.
fn arrange<'a>(drawing: &'a Drawing, camera: &Camera) -> (Vec<Drawn<'a>>, Vec<Drawn<'a>>) {
    let (mut bodies, mut signs) = (Vec::new(), Vec::new());
    let mut solids = drawing.solids().iter().copied().peekable();
    let mut at = 0;
    while at < drawing.lines().len() {
        if let Some(solid) = solids.next_if(|solid| solid.first as usize == at) {
            at += solid.count as usize;
            match solid_of(drawing, solid, camera) {
                Some(drawn) => bodies.push(drawn),
                // It extends behind the camera, so only its lines can be drawn.
                None => bodies.extend(drawing.lines_of(solid).iter().filter_map(|line| line_of(line, camera))),
            }
            continue;
        }
        let line = &drawing.lines()[at];
        let list = if matches!(line.kind.topic(), Topic::Shapes | Topic::Bounds) { &mut bodies } else { &mut signs };
        list.extend(line_of(line, camera));
        at += 1;
    }
    // The sort is stable: items of equal depth stay in the order of the drawing.
    let is_ground = |drawn: &Drawn<'_>| matches!(drawn.what, What::Line(line, _) if line.kind == Kind::Fixed);
    let order = |one: &Drawn<'_>, other: &Drawn<'_>| {
        is_ground(other).cmp(&is_ground(one)).then(other.depth.total_cmp(&one.depth))
    };
    bodies.sort_by(order);
    signs.sort_by(|one, other| other.depth.total_cmp(&one.depth));
    (bodies, signs)
}

fn line_of<'a>(line: &'a Line, camera: &Camera) -> Option<Drawn<'a>> {
    let seen = camera.see(line.from, line.to)?;
    Some(Drawn { depth: seen.depth, what: What::Line(line, seen) })
}

fn solid_of<'a>(drawing: &'a Drawing, solid: Solid, camera: &Camera) -> Option<Drawn<'a>> {
    let lines = drawing.lines_of(solid);
    let mut spots = Vec::with_capacity(lines.len() * 2);
    let mut depth = 0.0;
    for place in lines.iter().flat_map(|line| [line.from, line.to]) {
        let (spot, far) = camera.spot_of(place)?;
        spots.push(spot);
        depth += far;
    }
    depth /= spots.len() as f32;
    if let Some(round) = solid.round {
        spots.clear();
        round.ends.iter().for_each(|end| spots.extend(camera.ball(*end, round.radius)));
    }
    let [width, height] = camera.size;
    let is_beside = |beyond: fn(&Spot, Spot) -> bool| spots.iter().all(|spot| beyond(spot, [width, height]));
    if is_beside(|spot, _| spot[0] < 0.0)
        || is_beside(|spot, _| spot[1] < 0.0)
        || is_beside(|spot, size| spot[0] > size[0])
        || is_beside(|spot, size| spot[1] > size[1])
    {
        spots.clear();
    }
    Some(Drawn { depth, what: What::Solid(lines, rim(spots)) })
}

/// The range of depths.
fn span(bodies: &[Drawn<'_>]) -> (f32, f32) {
    let mut depths: Vec<f32> = bodies.iter().map(|drawn| drawn.depth).collect();
    depths.sort_unstable_by(f32::total_cmp);
    // The middle nine tenths: a single distant body does not compress the others into one shade.
    let at = |part: usize| depths.get(depths.len() * part / 20).copied().unwrap_or(0.0);
    (at(1), at(19))
}

fn faded(colour: Colour, depth: f32, (near, far): (f32, f32)) -> Colour {
    let part = if far > near { (depth - near) / (far - near) } else { 0.0 };
    let step = (base::number::clamp(part, 0.0, 1.0) * STEPS as f32) as u32;
    colour.towards(PAPER, (step * FADED / STEPS) as u8)
}

fn width_of(kind: Kind) -> f32 {
    match kind {
        Kind::Impulse | Kind::Velocity | Kind::Axis => 1.8,
        _ => 1.2,
    }
}

/// The convex hull of some points, counter-clockwise; empty if it has no area.
fn rim(mut spots: Vec<Spot>) -> Vec<Spot> {
    let key = |spot: &Spot| spot.map(|number| (number * 10.0) as i64);
    spots.sort_unstable_by_key(key);
    spots.dedup_by_key(|spot| key(spot));
    let is_left = |from: Spot, to: Spot, spot: Spot| {
        (to[0] - from[0]) * (spot[1] - from[1]) - (to[1] - from[1]) * (spot[0] - from[0]) > 0.0
    };
    let mut rim: Vec<Spot> = Vec::new();
    let half = |rim: &mut Vec<Spot>, spots: &mut dyn Iterator<Item = &Spot>| {
        let start = rim.len();
        for &spot in spots {
            while rim.len() >= start + 2 && !is_left(rim[rim.len() - 2], rim[rim.len() - 1], spot) {
                rim.pop();
            }
            rim.push(spot);
        }
        // The last point is the first of the other half.
        rim.pop();
    };
    half(&mut rim, &mut spots.iter());
    half(&mut rim, &mut spots.iter().rev());
    if rim.len() < 3 { Vec::new() } else { rim }
}

/// A drawing under construction. Successive lines of one colour share a path.
struct SvgDrawing {
    text: String,
    open: Option<(Colour, f32, usize, Spot)>,
}

impl SvgDrawing {
    fn line(&mut self, colour: Colour, width: f32, seen: &Seen) {
        let is_same = |open: &(Colour, f32, usize, Spot)| (open.0, open.1) == (colour, width) && open.2 < PIECE;
        let last = match self.open.filter(is_same) {
            Some((_, _, count, last)) => {
                self.open = Some((colour, width, count + 1, seen.to));
                Some(last)
            }
            None => {
                self.close();
                let _ = write!(self.text, "<path stroke=\"#{:06x}\" stroke-width=\"{width}\" d=\"", colour.digits());
                self.open = Some((colour, width, 1, seen.to));
                None
            }
        };
        if last != Some(seen.from) {
            let _ = write!(self.text, "M{:.1} {:.1}", seen.from[0], seen.from[1]);
        }
        let _ = write!(self.text, "L{:.1} {:.1}", seen.to[0], seen.to[1]);
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.text.push_str("\"/>\n");
        }
    }

    /// Covers everything behind it, then draws the outline and the edges in front of the middle.
    fn solid(&mut self, lines: &[Line], rim: &[Spot], depth: f32, camera: &Camera, depths: (f32, f32)) {
        let (Some(line), false) = (lines.first(), rim.is_empty()) else { return };
        self.close();
        let colour = faded(line.colour, depth, depths);
        let inside = colour.towards(PAPER, INSIDE);
        let _ = write!(
            self.text,
            "<path fill=\"#{:06x}\" fill-opacity=\".93\" stroke=\"#{:06x}\" stroke-width=\"1.2\" d=\"",
            inside.digits(),
            colour.digits()
        );
        for (index, spot) in rim.iter().enumerate() {
            let _ = write!(self.text, "{}{:.1} {:.1}", if index == 0 { 'M' } else { 'L' }, spot[0], spot[1]);
        }
        self.text.push_str("Z\"/>\n");
        for line in lines {
            if let Some(seen) = camera.see(line.from, line.to).filter(|seen| seen.depth < depth) {
                self.line(colour, 0.7, &seen);
            }
        }
    }
}

/// The legend of the colours, and the caption.
fn legend(out: &mut String, drawing: &Drawing, words: &str, [_, height]: [f32; 2]) {
    let (mut x, y) = (14.0, height - 14.0);
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{:.0}\" fill=\"#d8e0dc\">{}</text>", y - 20.0, escaped(words));
    for kind in Kind::ALL.iter().filter(|kind| drawing.of_kind(**kind).next().is_some()) {
        let _ = writeln!(
            out,
            "<text x=\"{x:.0}\" y=\"{y:.0}\" fill=\"#{:06x}\">{}</text>",
            kind.colour().digits(),
            kind.name()
        );
        x += 16.0 + 7.2 * kind.name().len() as f32;
    }
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
