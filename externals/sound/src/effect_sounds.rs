//! The sounds of running effects: an effect tag may list sounds, which begin and end with it.

use base::hash::mix;
use tags::Library;
use view::classes::Effect;
use view::limits::SOUNDS_MAX;
use view::{Frame, RunningSound};

/// Ids of such sounds have this bit, so that they differ from those of the frame.
const OF_EFFECT: u64 = 1 << 63;

/// Whether a sound belongs to an effect. One that does not repeat is then played to its end, even if the effect is over.
#[must_use]
pub fn is_of_effect(id: u64) -> bool {
    id & OF_EFFECT != 0
}

/// Adds the sounds of all running effects that have begun. Formulas that are no numbers count as 1, and markers as the place of
/// the effect.
pub fn list(frame: &Frame, now: f64, content: &Library, out: &mut Vec<RunningSound>) {
    for running in &frame.effects {
        let Some(effect) = content.get_as::<Effect>(running.effect) else { continue };
        for (index, sound) in effect.each(&effect.sounds).iter().enumerate() {
            let started = running.started + f64::from(sound.start.delay);
            let loops = sound.loops.is_true();
            if started > now || (loops && now >= running.stopped) || started >= running.stopped {
                continue;
            }
            if out.len() == SOUNDS_MAX {
                return;
            }
            let factor = |number: Option<f64>| number.unwrap_or(1.0) as f32;
            out.push(RunningSound {
                id: mix(running.id, index as u64) | OF_EFFECT,
                sound: sound.sound.id(),
                object: running.object,
                position: Some(running.position + running.orientation.rotate(sound.start.offset * running.scale)),
                velocity: running.velocity,
                started,
                loops,
                seed: mix(running.seed, index as u64),
                volume: factor(sound.volume.number()),
                pitch: factor(sound.pitch.number()),
            });
        }
    }
}
