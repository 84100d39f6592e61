// The last steps: the world in the size of the screen, and the colours for the player's eyes.

struct Final {
    // Rows of a matrix of linear light. w of the first two: the size of the image that is enlarged or reduced.
    rows: array<vec4f, 3>,
    // Left, top, width and height of the part of the picture that is drawn.
    area: vec4f,
}

@group(0) @binding(0) var<uniform> step: Final;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var image_sampler: sampler;

@vertex
fn vertex_final(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(f32((vertex << 1u) & 2u) * 2.0 - 1.0, 1.0 - f32(vertex & 2u) * 2.0, 0.0, 1.0);
}

// Enlarged by the spline of Catmull and Rom (1974), whose sixteen pixels are nine samples (Sigg and Hadwiger 2005); reduced, at most
// to a half, by interpolation alone.
@fragment
fn fragment_scale(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let size = vec2f(step.rows[0].w, step.rows[1].w);
    let uv = (clip.xy - step.area.xy) / step.area.zw;
    if size.x >= step.area.z { return vec4f(textureSampleLevel(image, image_sampler, uv, 0.0).rgb, 1.0); }
    let place = uv * size;
    let middle = floor(place - 0.5) + 0.5;
    let f = place - middle;
    let w0 = f * (-0.5 + f * (1.0 - 0.5 * f));
    let w1 = 1.0 + f * f * (-2.5 + 1.5 * f);
    let w2 = f * (0.5 + f * (2.0 - 1.5 * f));
    let w3 = f * f * (-0.5 + 0.5 * f);
    let w12 = w1 + w2;
    var at = array<vec2f, 3>((middle - 1.0) / size, (middle + w2 / w12) / size, (middle + 2.0) / size);
    var weight = array<vec2f, 3>(w0, w12, w3);
    var sum = vec3f(0.0);
    for (var y = 0; y < 3; y++) {
        for (var x = 0; x < 3; x++) {
            let tap = textureSampleLevel(image, image_sampler, vec2f(at[x].x, at[y].y), 0.0).rgb;
            sum += tap * (weight[x].x * weight[y].y);
        }
    }
    return vec4f(saturate(sum), 1.0);
}

@fragment
fn fragment_vision(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let light = linear_of(textureLoad(image, vec2i(clip.xy), 0).rgb);
    let seen = vec3f(dot(step.rows[0].xyz, light), dot(step.rows[1].xyz, light), dot(step.rows[2].xyz, light));
    return vec4f(srgb_of(saturate(seen)), 1.0);
}
