// Bloom: a pyramid of blurred pictures (Jiménez 2014). The first step weighs pixels by their brightness (Karis 2013) and
// drops what is not a number, or one pixel would paint squares over the picture.

struct Step {
    // The size of the target; 1: the first step; the weight of the coarser level.
    size: vec2f,
    is_first: f32,
    weight: f32,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var fine: texture_2d<f32>;
@group(0) @binding(2) var coarse: texture_2d<f32>;
@group(0) @binding(3) var bloom_sampler: sampler;
@group(0) @binding(4) var target_level: texture_storage_2d<rgba16float, write>;

fn sound(colour: vec3f) -> vec3f {
    let finite = select(vec3f(0.0), colour, (colour >= vec3f(0.0)) & (colour < vec3f(65000.0)));
    return min(finite, vec3f(120.0));
}

fn tap(at: vec2f) -> vec4f {
    let colour = sound(textureSampleLevel(fine, bloom_sampler, at, 0.0).rgb);
    let weight = select(1.0, 1.0 / (1.0 + luminance(colour)), step.is_first > 0.5);
    return vec4f(colour * weight, weight);
}

@compute @workgroup_size(8, 8)
fn down(@builtin(global_invocation_id) id: vec3u) {
    if any(vec2f(id.xy) >= step.size) { return; }
    let at = (vec2f(id.xy) + 0.5) / step.size;
    let texel = 1.0 / vec2f(textureDimensions(fine));
    var sum = tap(at) * 0.125;
    for (var y = -1; y <= 1; y += 2) {
        for (var x = -1; x <= 1; x += 2) {
            let offset = vec2f(f32(x), f32(y)) * texel;
            sum += tap(at + offset) * 0.125 + tap(at + offset * 2.0) * 0.03125;
        }
    }
    sum += (tap(at + vec2f(2.0, 0.0) * texel) + tap(at - vec2f(2.0, 0.0) * texel) + tap(at + vec2f(0.0, 2.0) * texel) + tap(at - vec2f(0.0, 2.0) * texel)) * 0.0625;
    textureStore(target_level, id.xy, vec4f(sum.rgb / max(sum.w, 1e-4), 1.0));
}

@compute @workgroup_size(8, 8)
fn up(@builtin(global_invocation_id) id: vec3u) {
    if any(vec2f(id.xy) >= step.size) { return; }
    let at = (vec2f(id.xy) + 0.5) / step.size;
    let texel = 1.0 / vec2f(textureDimensions(coarse));
    var sum = textureSampleLevel(coarse, bloom_sampler, at, 0.0).rgb * 4.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            if x == 0 && y == 0 { continue; }
            let weight = select(1.0, 2.0, x == 0 || y == 0);
            sum += textureSampleLevel(coarse, bloom_sampler, at + vec2f(f32(x), f32(y)) * texel, 0.0).rgb * weight;
        }
    }
    let own = textureLoad(fine, vec2i(id.xy), 0).rgb;
    textureStore(target_level, id.xy, vec4f(mix(own, sum / 16.0, step.weight), 1.0));
}
