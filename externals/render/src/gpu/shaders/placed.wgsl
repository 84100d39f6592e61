// Where a thing is, as culling has written it.

struct Placed {
    rows: array<vec4f, 3>,
    material: u32,
    tint: u32,
    // 1: casts shadows, 2: receives shadows, 4: skinned; from bit 8 on: its look.
    flags: u32,
    // The first matrix of its skin.
    joints: u32,
    // The draw of its finest level.
    slot: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
}

// An entry of a list: the item, and above it the level of detail.
const ITEM_MASK = 0x3fffffffu;
const LEVEL_SHIFT = 30u;
