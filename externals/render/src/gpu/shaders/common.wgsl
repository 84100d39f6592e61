// What all shaders share: the view, and small functions of depth, colour and noise.
// Places are relative to the eye. Depth is reversed and has no far plane: near / distance.

struct Cascade {
    // From places to the shadow map: x and y from -1 to 1, z from 0 at the light to 1.
    matrix: mat4x4f,
    // The world size of a texel, the distance at which it ends, map units per metre across, map units per metre along.
    metric: vec4f,
}

struct View {
    projection: mat4x4f,
    // Axes of the camera. w: tangent of half the width, tangent of half the height, distance of the near plane.
    right: vec4f,
    up: vec4f,
    forward: vec4f,
    // The eye in the world; w: seconds since the frame's moment.
    eye: vec4f,
    // Width, height, and their reciprocals.
    size: vec4f,
    planes: array<vec4f, 5>,
    cascades: array<Cascade, 4>,
    // Direction to the sun; w: cosine of its angular radius.
    sun: vec4f,
    // Its light; w: exposure.
    sun_colour: vec4f,
    // Colour of the fog; w: density per metre.
    fog: vec4f,
    // Up direction of the level; w: height above which fog thins out, as a reciprocal.
    level_up: vec4f,
    // Pixels per radian divided by the error allowed in pixels; least radius in pixels; number of cascades; shadow distance.
    detail: vec4f,
    // Items, slots, entries of a list of visible items, lights.
    counts: vec4u,
    // Strength of ambient light, of occlusion, of bloom, of reflections.
    strength: vec4f,
    // Stars: cells along a face of the cube, brightness; seed; world time in seconds.
    stars: vec4f,
    // Light from above and from below.
    ambient_above: vec4f,
    ambient_below: vec4f,
    // The post effect. Factor of the light, saturation, contrast, whether there is one.
    post_curve: vec4f,
    // Factors of the colours; w: strength of the vignette.
    post_tint: vec4f,
    // Colour of the vignette; w: strength of the veil.
    post_vignette: vec4f,
    // Colour of the veil.
    post_fade: vec4f,
}

const PI = 3.14159265;

fn hash_u(value: u32) -> u32 {
    var x = value * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return (x >> 22u) ^ x;
}

fn hash_3(cell: vec3i) -> u32 {
    return hash_u(bitcast<u32>(cell.x) ^ hash_u(bitcast<u32>(cell.y) ^ hash_u(bitcast<u32>(cell.z))));
}

fn unit_of(hash: u32) -> f32 {
    return f32(hash >> 8u) * (1.0 / 16777216.0);
}

// Value noise with a smooth derivative, from 0 to 1.
fn noise(place: vec3f) -> f32 {
    let cell = floor(place);
    let part = place - cell;
    let blend = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let c = vec3i(cell);
    let a = mix(unit_of(hash_3(c)), unit_of(hash_3(c + vec3i(1, 0, 0))), blend.x);
    let b = mix(unit_of(hash_3(c + vec3i(0, 1, 0))), unit_of(hash_3(c + vec3i(1, 1, 0))), blend.x);
    let d = mix(unit_of(hash_3(c + vec3i(0, 0, 1))), unit_of(hash_3(c + vec3i(1, 0, 1))), blend.x);
    let e = mix(unit_of(hash_3(c + vec3i(0, 1, 1))), unit_of(hash_3(c + vec3i(1, 1, 1))), blend.x);
    return mix(mix(a, b, blend.y), mix(d, e, blend.y), blend.z);
}

fn fractal(place: vec3f, octaves: i32) -> f32 {
    var sum = 0.0;
    var weight = 0.5;
    var at = place;
    for (var octave = 0; octave < octaves; octave++) {
        sum += weight * noise(at);
        at = vec3f(at.y * 2.03 + 17.1, at.z * 2.01 - 3.7, at.x * 2.02 + 5.3);
        weight *= 0.5;
    }
    return sum;
}

fn luminance(colour: vec3f) -> f32 {
    return dot(colour, vec3f(0.2126, 0.7152, 0.0722));
}

fn linear_of(srgb: vec3f) -> vec3f {
    let low = srgb / 12.92;
    let high = pow((srgb + 0.055) / 1.055, vec3f(2.4));
    return select(high, low, srgb <= vec3f(0.04045));
}

fn srgb_of(linear: vec3f) -> vec3f {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3f(0.0)), vec3f(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3f(0.0031308));
}
