//! The update of a plant: it grows, and sleeps when it is full-grown.

use astrarium::base::number::min;
use astrarium::state::Item;

use crate::parts::Plant;

const GROWTH: f32 = 0.0005;

/// One cycle of a plant.
pub fn update(plant: &mut Item<'_, Plant>) {
    plant.next.food = min(plant.now().food + GROWTH, 1.0);
    if plant.next.food == 1.0 {
        plant.sleep();
    }
}
