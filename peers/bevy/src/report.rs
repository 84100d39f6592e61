//! What was measured, and how it is printed.

use std::collections::BTreeMap;

use bevy::diagnostic::DiagnosticsStore;

use crate::Wanted;

/// What was measured.
#[derive(Default)]
pub struct Measured {
    /// The time until the first picture, without its own.
    pub start_ms: f32,
    /// The time of each call that draws a picture.
    pub updates: Vec<f32>,
    /// The time that the graphics processor was waited for after each.
    pub waits: Vec<f32>,
    /// The time per picture, over all of them.
    pub picture_ms: f32,
    /// The triangles for the camera, then for each cascade.
    pub triangles: Vec<usize>,
    passes: BTreeMap<String, Vec<f32>>,
}

impl Measured {
    /// Notes the times of the passes of the last picture whose times are known.
    pub fn note(&mut self, store: &DiagnosticsStore) {
        for diagnostic in store.iter() {
            let path = diagnostic.path().as_str();
            // Passes within passes are part of them.
            let Some(pass) = path.strip_prefix("render/").and_then(|path| path.strip_suffix("/elapsed_gpu")) else {
                continue;
            };
            if let Some(value) = diagnostic.value().filter(|_| !pass.contains('/')) {
                self.passes.entry(pass.to_owned()).or_default().push(value as f32);
            }
        }
    }

    /// Prints everything.
    pub fn print(&mut self, wanted: &Wanted, device: &str) {
        let rows: Vec<(String, f32)> =
            self.passes.iter_mut().map(|(name, times)| (name.clone(), median(times))).collect();
        let gpu_ms: f32 = rows.iter().map(|(_, time)| time).sum();
        let (update_ms, wait_ms) = (median(&mut self.updates), median(&mut self.waits));
        let (start_ms, picture_ms, triangles) = (self.start_ms, self.picture_ms, &self.triangles);
        let [width, height] = wanted.size;
        if wanted.is_json {
            let list: Vec<String> = rows.iter().map(|(name, time)| format!("\"{name}\": {time:.4}")).collect();
            println!(
                "{{ \"device\": \"{device}\", \"instances\": {}, \"triangles\": {triangles:?}, \"size\": [{width}, {height}], \
                 \"start_ms\": {start_ms:.1}, \"picture_ms\": {picture_ms:.3}, \"update_ms\": {update_ms:.3}, \"wait_ms\": \
                 {wait_ms:.3}, \"gpu_ms\": {gpu_ms:.3}, \"passes\": {{ {} }} }}",
                wanted.instances,
                list.join(", ")
            );
            return;
        }
        println!(
            "{device}\n{} instances, triangles for the camera and the cascades: {triangles:?}, {width} × {height}",
            wanted.instances
        );
        for (name, time) in rows {
            println!("{name:36} {time:9.4} ms");
        }
        println!(
            "graphics processor {gpu_ms:.3} ms, app.update() {update_ms:.3} ms, then waiting {wait_ms:.3} ms; {picture_ms:.3} ms per \
             picture"
        );
    }
}

fn median(times: &mut [f32]) -> f32 {
    times.sort_by(f32::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
