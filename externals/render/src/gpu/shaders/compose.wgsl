// Joins what was drawn with ambient occlusion and fog, and fills the rest with sky, stars and the sun.

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var lit: texture_2d<f32>;
@group(0) @binding(2) var depth_texture: texture_depth_2d;
@group(0) @binding(3) var occlusion: texture_2d<f32>;
@group(0) @binding(4) var sky_cube: texture_cube<f32>;
@group(0) @binding(5) var cube_sampler: sampler;
@group(0) @binding(6) var composed: texture_storage_2d<rgba16float, write>;

// A star of a cell on a face of the cube: never at its edge, so that one cell decides each pixel.
fn star_layer(direction: vec3f, cells: f32, seed: f32, pixel_angle: f32) -> vec3f {
    let size = abs(direction);
    var face = 0;
    var uv = direction.yz / size.x;
    if size.y >= size.x && size.y >= size.z {
        face = 1;
        uv = direction.xz / size.y;
    } else if size.z >= size.x {
        face = 2;
        uv = direction.xy / size.z;
    }
    let major = direction[face];
    face += select(0, 3, major < 0.0);
    // Even angles over a face.
    let at = atan(uv) * (4.0 / PI) * cells * 0.5;
    let cell = floor(at);
    let hash = hash_3(vec3i(vec2i(cell), face * 131 + i32(seed)));
    let magnitude = unit_of(hash_u(hash + 3u));
    let radius = pixel_angle * (0.75 + 1.1 * pow(magnitude, 12.0));
    // Half the side of a cell as an angle.
    let cell_angle = PI / (2.0 * cells);
    let margin = min(0.45, radius * 2.0 / cell_angle);
    let centre = vec2f(unit_of(hash), unit_of(hash_u(hash + 1u))) * (1.0 - 2.0 * margin) + margin;
    let away = length(at - cell - centre) * cell_angle * 2.0;
    let brightness = pow(magnitude, 9.0) * 1.6 + 0.035;
    let spot = smoothstep(radius * 1.35, radius * 0.25, away);
    let heat = unit_of(hash_u(hash + 2u));
    let colour = mix(mix(vec3f(1.0, 0.72, 0.48), vec3f(1.0, 0.96, 0.9), smoothstep(0.0, 0.45, heat)), vec3f(0.62, 0.76, 1.0), smoothstep(0.55, 1.0, heat));
    return colour * (brightness * spot);
}

fn sky_at(direction: vec3f) -> vec3f {
    var colour = textureSampleLevel(sky_cube, cube_sampler, direction, 0.0).rgb;
    let pixel_angle = view.up.w * 2.0 * view.size.w;
    if view.stars.x > 0.0 {
        let seed = view.stars.z;
        let stars = star_layer(direction, view.stars.x, seed, pixel_angle)
            + star_layer(normalize(direction.zxy + vec3f(0.013, 0.029, 0.007)), view.stars.x * 0.61, seed + 57.0, pixel_angle);
        // Thick nebula hides what lies behind.
        colour += stars * view.stars.y / (1.0 + luminance(colour) * 6.0);
    }
    let toward = dot(direction, view.sun.xyz);
    let radius = acos(clamp(view.sun.w, -1.0, 1.0));
    if radius > 0.0 {
        let angle = acos(clamp(toward, -1.0, 1.0));
        let disc = smoothstep(radius + pixel_angle, radius - pixel_angle, angle);
        let limb = sqrt(saturate(1.0 - (angle * angle) / (radius * radius)));
        let corona = exp(-angle / (radius * 2.5)) * 0.9 + exp(-angle / (radius * 12.0)) * 0.07;
        colour += view.sun_colour.rgb * (disc * (0.55 + 0.45 * limb) * 24.0 + corona);
    }
    return colour;
}

fn open_at(pixel: vec2i, depth: f32) -> f32 {
    // A bilateral blur of 4 x 4 half-resolution texels hides the pattern of directions.
    let size = vec2i(textureDimensions(occlusion));
    let base = (pixel + 1) / 2 - 2;
    var sum = 0.0;
    var weights = 0.0;
    for (var y = 0; y < 4; y++) {
        for (var x = 0; x < 4; x++) {
            let at = clamp(base + vec2i(x, y), vec2i(0), size - 1);
            let there = textureLoad(depth_texture, min(at * 2, vec2i(textureDimensions(depth_texture)) - 1), 0);
            let weight = max(1.0 - 24.0 * abs(there - depth) / depth, 0.001);
            sum += weight * textureLoad(occlusion, at, 0).r;
            weights += weight;
        }
    }
    return sum / weights;
}

@compute @workgroup_size(8, 8)
fn compose(@builtin(global_invocation_id) id: vec3u) {
    if f32(id.x) >= view.size.x || f32(id.y) >= view.size.y { return; }
    let pixel = vec2i(id.xy);
    let ray = ray_of(vec2f(id.xy) + 0.5);
    let depth = textureLoad(depth_texture, pixel, 0);
    if depth <= 0.0 {
        let direction = normalize(ray);
        var colour = sky_at(direction);
        if view.fog.w > 0.0 {
            // Fog hides the sky near the horizon only.
            let height = dot(direction, view.level_up.xyz);
            let hidden = exp(-max(height, 0.0) * 14.0);
            colour = mix(colour, fog_colour(direction), hidden * saturate(view.fog.w * 400.0));
        }
        textureStore(composed, pixel, vec4f(colour, 1.0));
        return;
    }
    let place = ray * (view.forward.w / depth);
    let texel = textureLoad(lit, pixel, 0);
    var open = 1.0;
    if view.strength.y > 0.0 { open = mix(1.0, open_at(pixel, depth), view.strength.y); }
    // Bright surfaces light their own corners: several bounces (Jiménez et al. 2016), and a little of it on direct light.
    let darkened = texel.rgb * (1.0 - saturate(texel.a * 0.85 + 0.15) * (1.0 - open));
    let clear = clearness(place);
    textureStore(composed, pixel, vec4f(mix(fog_colour(normalize(place)), darkened, clear), 1.0));
}
