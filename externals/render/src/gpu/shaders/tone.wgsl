// From light to displayed colours: bloom, exposure, the curve of AgX, outlines, the post effect and dither.
// The constants AGX_… come from `colour.rs`, which both renderers share.

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var light: texture_2d<f32>;
@group(0) @binding(2) var bloom: texture_2d<f32>;
@group(0) @binding(3) var outline: texture_2d<f32>;
@group(0) @binding(4) var bloom_sampler: sampler;
@group(0) @binding(5) var shown: texture_storage_2d<rgba8unorm, write>;

fn agx(light: vec3f) -> vec3f {
    let inset = max(light, vec3f(0.0)) * AGX_INSET;
    let x = saturate((log2(max(inset, vec3f(1e-6))) - AGX_STOPS_MIN) / (AGX_STOPS_MAX - AGX_STOPS_MIN));
    let curved = (((((AGX_CURVE_6 * x + AGX_CURVE_5) * x + AGX_CURVE_4) * x + AGX_CURVE_3) * x + AGX_CURVE_2) * x + AGX_CURVE_1) * x + AGX_CURVE_0;
    let grey = luminance(curved);
    let vivid = grey + (curved - grey) * AGX_SATURATION;
    let steep = vivid + AGX_CONTRAST * vivid * (vivid - 0.5) * (1.0 - vivid) * 4.0;
    return saturate(steep * AGX_OUTSET);
}

// The edge of the mask of selected things, two pixels wide.
fn outlined(colour: vec3f, pixel: vec2i) -> vec3f {
    let size = vec2i(textureDimensions(outline));
    if size.x < i32(view.size.x) { return colour; }
    let own = textureLoad(outline, pixel, 0);
    if own.a > 0.9 { return colour; }
    var found = vec4f(0.0);
    for (var y = -2; y <= 2; y++) {
        for (var x = -2; x <= 2; x++) {
            if x * x + y * y > 5 { continue; }
            let there = textureLoad(outline, clamp(pixel + vec2i(x, y), vec2i(0), size - 1), 0);
            if there.a > found.a { found = there; }
        }
    }
    if found.a <= own.a { return colour; }
    return mix(colour, found.rgb, found.a * 0.9);
}

// As `PostValues::apply` has it.
fn post_of(colour: vec3f, pixel: vec2f) -> vec3f {
    let vivid = mix(vec3f(luminance(colour)), colour, view.post_curve.y);
    let spread = saturate(((vivid - 0.5) * view.post_curve.z + 0.5) * view.post_tint.rgb);
    let away = length((pixel + 0.5) * view.size.zw * 2.0 - 1.0) * 0.70710678;
    let edge = smoothstep(VIGNETTE_START, 1.0, away) * view.post_tint.w;
    return saturate(mix(mix(spread, view.post_vignette.rgb, edge), view.post_fade.rgb, view.post_vignette.w));
}

@compute @workgroup_size(8, 8)
fn tone(@builtin(global_invocation_id) id: vec3u) {
    if f32(id.x) >= view.size.x || f32(id.y) >= view.size.y { return; }
    let pixel = vec2i(id.xy);
    var colour = textureLoad(light, pixel, 0).rgb;
    colour = select(vec3f(0.0), colour, (colour >= vec3f(0.0)) & (colour < vec3f(65504.0)));
    if view.strength.z > 0.0 {
        let glow = textureSampleLevel(bloom, bloom_sampler, (vec2f(id.xy) + 0.5) * view.size.zw, 0.0).rgb;
        colour = mix(colour, glow, view.strength.z);
    }
    let has_post = view.post_curve.w > 0.0;
    let light_factor = view.sun_colour.w * select(1.0, view.post_curve.x, has_post);
    var shown_colour = outlined(agx(colour * light_factor), pixel);
    if has_post { shown_colour = post_of(shown_colour, vec2f(id.xy)); }
    // Triangular noise of one step hides the bands of eight bits in dark skies.
    let seed = hash_u(id.x + hash_u(id.y));
    let dither = (unit_of(seed) + unit_of(hash_u(seed)) - 1.0) / 255.0;
    shown_colour = saturate(shown_colour + dither);
    textureStore(shown, pixel, vec4f(shown_colour, 1.0));
}
