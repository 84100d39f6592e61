// Texture arrays, one for each size, each seen as sRGB and as linear values.

@group(2) @binding(0) var arrays_sampler: sampler;
@group(2) @binding(1) var colour_0: texture_2d_array<f32>;
@group(2) @binding(2) var colour_1: texture_2d_array<f32>;
@group(2) @binding(3) var colour_2: texture_2d_array<f32>;
@group(2) @binding(4) var colour_3: texture_2d_array<f32>;
@group(2) @binding(5) var colour_4: texture_2d_array<f32>;
@group(2) @binding(6) var value_0: texture_2d_array<f32>;
@group(2) @binding(7) var value_1: texture_2d_array<f32>;
@group(2) @binding(8) var value_2: texture_2d_array<f32>;
@group(2) @binding(9) var value_3: texture_2d_array<f32>;
@group(2) @binding(10) var value_4: texture_2d_array<f32>;

const TEXTURE_NONE = 0xffffffffu;

// A texture: bits 0 to 15 are the layer, 16 to 18 the size; 19 mirrors u, 20 mirrors v, 21 clamps u, 22 clamps v, 23 takes
// the nearest texel; 24 to 30 are added to the level, in quarters and with a sign.
struct Lookup {
    at: vec2f,
    dx: vec2f,
    dy: vec2f,
}

fn lookup(texture: u32, uv: vec2f, dx: vec2f, dy: vec2f) -> Lookup {
    var at = uv;
    let side = f32(128u << ((texture >> 16u) & 7u));
    if (texture & 0x080000u) != 0u { at.x = 1.0 - abs(fract(at.x * 0.5) * 2.0 - 1.0); }
    if (texture & 0x100000u) != 0u { at.y = 1.0 - abs(fract(at.y * 0.5) * 2.0 - 1.0); }
    let edge = 0.5 / side;
    if (texture & 0x280000u) != 0u { at.x = clamp(at.x, edge, 1.0 - edge); }
    if (texture & 0x500000u) != 0u { at.y = clamp(at.y, edge, 1.0 - edge); }
    let bias = exp2(f32(i32(texture << 1u) >> 25u) * 0.25);
    if (texture & 0x800000u) == 0u { return Lookup(at, dx * bias, dy * bias); }
    // The middle of the nearest texel of the nearest level: there, nothing is interpolated.
    let step = max(length(dx), length(dy)) * bias * side;
    let level = min(floor(log2(max(step, 1.0)) + 0.5), 7.0 + f32((texture >> 16u) & 7u));
    let texels = side * exp2(-level);
    return Lookup((floor(at * texels) + 0.5) / texels, vec2f(1.0 / texels, 0.0), vec2f(0.0, 1.0 / texels));
}

fn sample_colour(texture: u32, uv: vec2f, dx: vec2f, dy: vec2f) -> vec4f {
    let found = lookup(texture, uv, dx, dy);
    let layer = texture & 0xffffu;
    switch (texture >> 16u) & 7u {
        case 0u: { return textureSampleGrad(colour_0, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 1u: { return textureSampleGrad(colour_1, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 2u: { return textureSampleGrad(colour_2, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 3u: { return textureSampleGrad(colour_3, arrays_sampler, found.at, layer, found.dx, found.dy); }
        default: { return textureSampleGrad(colour_4, arrays_sampler, found.at, layer, found.dx, found.dy); }
    }
}

fn sample_value(texture: u32, uv: vec2f, dx: vec2f, dy: vec2f) -> vec4f {
    let found = lookup(texture, uv, dx, dy);
    let layer = texture & 0xffffu;
    switch (texture >> 16u) & 7u {
        case 0u: { return textureSampleGrad(value_0, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 1u: { return textureSampleGrad(value_1, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 2u: { return textureSampleGrad(value_2, arrays_sampler, found.at, layer, found.dx, found.dy); }
        case 3u: { return textureSampleGrad(value_3, arrays_sampler, found.at, layer, found.dx, found.dy); }
        default: { return textureSampleGrad(value_4, arrays_sampler, found.at, layer, found.dx, found.dy); }
    }
}
