// The sky as a cube: colours from zenith to ground and a nebula, or a bitmap; its reflections at growing roughness, and its
// light as spherical harmonics. Made once for each sky.

struct Sky {
    // w: the factor of a bitmap.
    zenith: vec4f,
    horizon: vec4f,
    ground: vec4f,
    nebula_a: vec4f,
    // w: how much of the sky the nebula covers.
    nebula_b: vec4f,
    nebula_c: vec4f,
    // w: the seed.
    up: vec4f,
    // w: 1 if it is day.
    sun: vec4f,
    sun_light: vec4f,
    // The face or level, its side, roughness, mean luminance of ambient light.
    step: vec4f,
    // 1: there is a bitmap.
    flags: vec4u,
}

@group(0) @binding(0) var<uniform> sky: Sky;
@group(0) @binding(1) var source: texture_cube<f32>;
@group(0) @binding(2) var cube_sampler: sampler;
@group(0) @binding(3) var target_cube: texture_storage_2d_array<rgba16float, write>;
@group(0) @binding(4) var<storage, read_write> harmonics: array<vec4f>;

// The direction of a texel of a face, in the order +x, -x, +y, -y, +z, -z.
fn direction_at(face: u32, uv: vec2f) -> vec3f {
    let p = uv * 2.0 - 1.0;
    switch face {
        case 0u: { return normalize(vec3f(1.0, -p.y, -p.x)); }
        case 1u: { return normalize(vec3f(-1.0, -p.y, p.x)); }
        case 2u: { return normalize(vec3f(p.x, 1.0, p.y)); }
        case 3u: { return normalize(vec3f(p.x, -1.0, -p.y)); }
        case 4u: { return normalize(vec3f(p.x, -p.y, 1.0)); }
        default: { return normalize(vec3f(-p.x, -p.y, -1.0)); }
    }
}

fn nebula(direction: vec3f) -> vec3f {
    let seed = vec3f(fract(sky.up.w * 0.137) * 61.0, fract(sky.up.w * 0.311) * 47.0, fract(sky.up.w * 0.723) * 83.0);
    let at = direction * 2.1 + seed;
    // Domain warping makes filaments out of clouds (Quilez 2002).
    let warp = vec3f(fractal(at + 3.1, 4), fractal(at * 1.1 + 11.7, 4), fractal(at * 0.9 + 29.3, 4)) - 0.47;
    let body = fractal(at * 1.4 + warp * 2.6, 5);
    let dust = fractal(at * 3.3 - warp * 1.7 + 7.0, 4);
    let hue = smoothstep(0.32, 0.62, fractal(at * 0.8 + warp + 19.0, 3));
    let cover = sky.nebula_b.w;
    let density = smoothstep(0.62 - 0.24 * cover, 0.94 - 0.24 * cover, body);
    let core = pow(density, 2.5) * 1.8;
    let lane = smoothstep(0.42, 0.62, dust);
    let accent = smoothstep(0.44, 0.66, fractal(at * 1.1 - warp * 1.4 + 41.0, 3));
    let colour = mix(mix(sky.nebula_a.rgb, sky.nebula_b.rgb, hue), sky.nebula_c.rgb, accent * 0.7);
    return colour * (density * 0.4 + core) * (1.0 - 0.75 * lane) + mix(sky.nebula_b.rgb, sky.nebula_a.rgb, hue) * core * core * 0.3;
}

@compute @workgroup_size(8, 8, 1)
fn bake(@builtin(global_invocation_id) id: vec3u) {
    let side = u32(sky.step.y);
    if id.x >= side || id.y >= side { return; }
    let direction = direction_at(id.z, (vec2f(id.xy) + 0.5) / f32(side));
    var colour: vec3f;
    if sky.flags.x == 1u {
        // Cube bitmaps have z up; their faces are named by world axes.
        colour = textureSampleLevel(source, cube_sampler, direction, 0.0).rgb * sky.zenith.w;
    } else {
        let height = dot(direction, sky.up.xyz);
        let above = mix(sky.horizon.rgb, sky.zenith.rgb, pow(saturate(height), 0.55));
        let below = mix(sky.horizon.rgb, sky.ground.rgb, pow(saturate(-height), 0.35));
        colour = select(below, above, height >= 0.0);
        // Light scattered around the sun, as strong as the horizon is bright.
        let toward = saturate(dot(direction, sky.sun.xyz));
        let haze = luminance(sky.horizon.rgb);
        let tint = sky.sun_light.rgb / max(luminance(sky.sun_light.rgb), 1e-4);
        colour += tint * haze * (0.9 * pow(toward, 6.0) + 2.2 * pow(toward, 48.0)) * sky.sun.w;
        if sky.nebula_b.w > 0.0 { colour += nebula(direction); }
        if sky.sun.w > 0.0 && height > 0.0 {
            // Thin high clouds on a plane overhead, bright towards the sun.
            let plane = direction / (height + 0.12) * 1.6;
            let warp = fractal(plane * 0.7 + 3.0, 3);
            let cover = smoothstep(0.46, 0.78, fractal(plane * vec3f(1.0, 1.6, 1.0) + warp * 1.5, 5));
            let cloud = sky.horizon.rgb * 0.9 + tint * haze * (0.25 + 1.1 * pow(toward, 4.0));
            colour = mix(colour, cloud, cover * 0.75 * smoothstep(0.02, 0.25, height));
        }
    }
    textureStore(target_cube, id.xy, id.z, vec4f(min(max(colour, vec3f(0.0)), vec3f(60000.0)), 1.0));
}

fn radical_inverse(index: u32) -> f32 {
    return f32(reverseBits(index)) * 2.3283064365386963e-10;
}

// Reflections: samples by importance of the distribution (Karis 2013).
@compute @workgroup_size(8, 8, 1)
fn blur(@builtin(global_invocation_id) id: vec3u) {
    let side = u32(sky.step.y);
    if id.x >= side || id.y >= side { return; }
    let n = direction_at(id.z, (vec2f(id.xy) + 0.5) / f32(side));
    let tangent = normalize(cross(n, select(vec3f(0.0, 0.0, 1.0), vec3f(1.0, 0.0, 0.0), abs(n.z) > 0.9)));
    let bitangent = cross(n, tangent);
    let alpha = sky.step.z * sky.step.z;
    var sum = vec4f(0.0);
    for (var index = 0u; index < 48u; index++) {
        let u = vec2f((f32(index) + 0.5) / 48.0, radical_inverse(index));
        let cosine = sqrt((1.0 - u.y) / (1.0 + (alpha * alpha - 1.0) * u.y));
        let sine = sqrt(max(1.0 - cosine * cosine, 0.0));
        let h = tangent * (sine * cos(2.0 * PI * u.x)) + bitangent * (sine * sin(2.0 * PI * u.x)) + n * cosine;
        let l = 2.0 * dot(n, h) * h - n;
        let weight = dot(n, l);
        if weight > 0.0 { sum += vec4f(min(textureSampleLevel(source, cube_sampler, l, 0.0).rgb, vec3f(64.0)) * weight, weight); }
    }
    textureStore(target_cube, id.xy, id.z, vec4f(sum.rgb / max(sum.w, 1e-4), 1.0));
}

var<workgroup> sums: array<array<vec3f, 9>, 64>;

@compute @workgroup_size(64)
fn project(@builtin(local_invocation_index) thread: u32) {
    var local: array<vec3f, 9>;
    // 8 x 8 directions on each face, one row of texels for each thread.
    for (var face = 0u; face < 6u; face++) {
        let uv = (vec2f(f32(thread % 8u), f32(thread / 8u)) + 0.5) / 8.0;
        let n = direction_at(face, uv);
        let p = uv * 2.0 - 1.0;
        // The solid angle of a texel.
        let weight = 4.0 / (64.0 * pow(1.0 + dot(p, p), 1.5));
        let light = min(textureSampleLevel(source, cube_sampler, n, 0.0).rgb, vec3f(64.0)) * weight;
        // Coefficients of irradiance divided by pi, with the factors of the basis multiplied in.
        local[0] += light * 0.079577;
        local[1] += light * n.y * 0.159155;
        local[2] += light * n.z * 0.159155;
        local[3] += light * n.x * 0.159155;
        local[4] += light * n.x * n.y * 0.298416;
        local[5] += light * n.y * n.z * 0.298416;
        local[6] += light * (3.0 * n.z * n.z - 1.0) * 0.0248680;
        local[7] += light * n.x * n.z * 0.298416;
        local[8] += light * (n.x * n.x - n.y * n.y) * 0.0746040;
    }
    sums[thread] = local;
    workgroupBarrier();
    if thread != 0u { return; }
    var total: array<vec3f, 9>;
    for (var other = 0u; other < 64u; other++) {
        for (var term = 0u; term < 9u; term++) { total[term] += sums[other][term]; }
    }
    let mean = max(luminance(total[0]), 1e-5);
    // Reflections of a sky that is darker than its ambient light are brightened, or metals would be black.
    let gain = clamp(sky.step.w / mean, 1.0, 10.0);
    for (var term = 0u; term < 9u; term++) { harmonics[term] = vec4f(total[term] / mean, gain); }
}
