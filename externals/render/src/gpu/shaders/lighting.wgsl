// How light falls on a surface: the sun with its shadow maps, the lights of the scene by clusters, and the sky.
// The surface reflects after Burley (2012) with the distribution of Trowbridge and Reitz (1975), as glTF 2.0 says.

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> lamps: array<Lamp>;
@group(0) @binding(2) var<storage, read> clusters: array<u32>;
@group(0) @binding(3) var shadow_map: texture_depth_2d_array;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;
@group(0) @binding(5) var reflections: texture_cube<f32>;
@group(0) @binding(6) var linear_sampler: sampler;
@group(0) @binding(7) var<storage, read> harmonics: array<vec4f>;

const REFLECTION_LEVELS = 5.0;

struct Surface {
    place: vec3f,
    normal: vec3f,
    base: vec3f,
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    emitted: vec3f,
    has_shadow: bool,
}

struct Shade {
    colour: vec3f,
    // The part of the colour that is ambient light.
    ambient: f32,
}

fn shadow_at(cascade: u32, place: vec3f, normal: vec3f) -> f32 {
    let metric = view.cascades[cascade].metric;
    let slope = 1.0 - saturate(dot(normal, view.sun.xyz));
    let offset = place + normal * metric.x * (0.6 + 1.6 * slope) + view.sun.xyz * metric.x * 0.4;
    let at = view.cascades[cascade].matrix * vec4f(offset, 1.0);
    let uv = at.xy * vec2f(0.5, -0.5) + 0.5;
    let side = f32(textureDimensions(shadow_map).x);
    // Nine taps that weigh 5 x 5 texels as a smooth kernel (Castaño 2013, The Witness).
    let texel = uv * side + 0.5;
    let base = floor(texel) - 0.5;
    let part = texel - floor(texel);
    let weight_x = vec3f(4.0 - 3.0 * part.x, 7.0, 1.0 + 3.0 * part.x);
    let weight_y = vec3f(4.0 - 3.0 * part.y, 7.0, 1.0 + 3.0 * part.y);
    let tap_x = vec3f((3.0 - 2.0 * part.x) / weight_x.x - 2.0, (3.0 + part.x) / 7.0, part.x / weight_x.z + 2.0);
    let tap_y = vec3f((3.0 - 2.0 * part.y) / weight_y.x - 2.0, (3.0 + part.y) / 7.0, part.y / weight_y.z + 2.0);
    var sum = 0.0;
    for (var y = 0; y < 3; y++) {
        for (var x = 0; x < 3; x++) {
            let tap = (base + vec2f(tap_x[x], tap_y[y])) / side;
            sum += weight_x[x] * weight_y[y] * textureSampleCompareLevel(shadow_map, shadow_sampler, tap, cascade, at.z);
        }
    }
    return sum / 144.0;
}

// How much of the sun reaches a place.
fn sunlight(place: vec3f, normal: vec3f) -> f32 {
    let count = u32(view.detail.z);
    let depth = length(place);
    var cascade = 0u;
    while cascade < count && depth > view.cascades[cascade].metric.y { cascade++; }
    if cascade >= count { return 1.0; }
    let end = view.cascades[cascade].metric.y;
    var light = shadow_at(cascade, place, normal);
    // The last fifth of a cascade is blended with the next.
    let blend = saturate((depth / end - 0.85) / 0.15);
    if blend > 0.0 {
        var next = 1.0;
        if cascade + 1u < count { next = shadow_at(cascade + 1u, place, normal); }
        light = mix(light, next, blend);
    }
    return light;
}

fn distribution(alpha: f32, n_h: f32) -> f32 {
    let a2 = alpha * alpha;
    let d = n_h * n_h * (a2 - 1.0) + 1.0;
    return a2 / max(PI * d * d, 1e-7);
}

fn visibility(alpha: f32, n_l: f32, n_v: f32) -> f32 {
    // Height-correlated Smith, in the cheap form of Hammon (2017).
    return 0.5 / max(mix(2.0 * n_l * n_v, n_l + n_v, alpha), 1e-5);
}

fn reflect_light(surface: Surface, f0: vec3f, diffuse: vec3f, to_eye: vec3f, to_light: vec3f) -> vec3f {
    let n_l = dot(surface.normal, to_light);
    if n_l <= 0.0 { return vec3f(0.0); }
    let half = normalize(to_eye + to_light);
    let n_v = max(dot(surface.normal, to_eye), 1e-3);
    let alpha = max(surface.roughness * surface.roughness, 0.002);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - saturate(dot(to_eye, half)), 5.0);
    let specular = fresnel * distribution(alpha, saturate(dot(surface.normal, half))) * visibility(alpha, n_l, n_v);
    return (diffuse * (1.0 - fresnel) / PI + specular) * n_l;
}

// Light of the sky on a diffuse surface: that of the sky tag, tinted by what the sky shows in that direction. Spherical
// harmonics after Ramamoorthi and Hanrahan (2001), relative to their mean.
fn sky_light(n: vec3f) -> vec3f {
    let sum = harmonics[0].rgb
        + harmonics[1].rgb * n.y + harmonics[2].rgb * n.z + harmonics[3].rgb * n.x
        + harmonics[4].rgb * (n.x * n.y) + harmonics[5].rgb * (n.y * n.z) + harmonics[6].rgb * (3.0 * n.z * n.z - 1.0)
        + harmonics[7].rgb * (n.x * n.z) + harmonics[8].rgb * (n.x * n.x - n.y * n.y);
    let hemisphere = mix(view.ambient_below.rgb, view.ambient_above.rgb, 0.5 + 0.5 * dot(n, view.level_up.xyz));
    return hemisphere * (0.45 + 0.55 * clamp(sum, vec3f(0.0), vec3f(3.0)));
}

fn cluster_of(pixel: vec2f, depth: f32) -> u32 {
    let column = min(vec2u(pixel * view.size.zw * vec2f(CLUSTERS.xy)), CLUSTERS.xy - 1u);
    let slice = min(u32(max(log2(max(depth, 1e-3) / view.forward.w) * 1.5, 0.0)), CLUSTERS.z - 1u);
    return (slice * CLUSTERS.y + column.y) * CLUSTERS.x + column.x;
}

fn lamp_light(lamp: Lamp, place: vec3f) -> vec4f {
    let away = lamp.position - place;
    let square = dot(away, away);
    let to_light = away * inverseSqrt(max(square, 1e-8));
    let part = square / (lamp.range * lamp.range);
    let window = saturate(1.0 - part * part);
    var strength = window * window / max(square, 0.01);
    if lamp.cone > -1.0 {
        let along = dot(-to_light, lamp.direction);
        strength *= smoothstep(lamp.cone, mix(lamp.cone, 1.0, 0.25), along);
    }
    return vec4f(to_light, strength);
}

fn shade(surface: Surface, pixel: vec2f) -> Shade {
    let to_eye = normalize(-surface.place);
    let f0 = mix(vec3f(0.04), surface.base, surface.metallic);
    let diffuse = surface.base * (1.0 - surface.metallic);
    let n_v = max(dot(surface.normal, to_eye), 1e-3);

    var direct = vec3f(0.0);
    if dot(surface.normal, view.sun.xyz) > 0.0 {
        var light = 1.0;
        if surface.has_shadow { light = sunlight(surface.place, surface.normal); }
        if light > 0.0 {
            direct = reflect_light(surface, f0, diffuse, to_eye, view.sun.xyz) * view.sun_colour.rgb * light;
        }
    }
    if view.counts.w > 0u {
        let first = cluster_of(pixel, dot(surface.place, view.forward.xyz)) * (CLUSTER_LAMPS + 1u);
        let count = min(clusters[first], CLUSTER_LAMPS);
        for (var index = 0u; index < count; index++) {
            let lamp = lamps[clusters[first + 1u + index]];
            let light = lamp_light(lamp, surface.place);
            if light.w > 0.0 {
                direct += reflect_light(surface, f0, diffuse, to_eye, light.xyz) * lamp.intensity * light.w;
            }
        }
    }
    // The split-sum approximation, with the fit of Karis (2014) for its second factor.
    let r = surface.roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    let fit = vec2f(-1.04, 1.04) * a + r.zw;
    let mirrored = reflect(-to_eye, surface.normal);
    let reflected = textureSampleLevel(reflections, linear_sampler, mirrored, surface.roughness * (REFLECTION_LEVELS - 1.0)).rgb;
    let horizon = saturate(1.0 + 1.2 * dot(mirrored, surface.normal));
    let ambient = (diffuse * sky_light(surface.normal) + reflected * (f0 * fit.x + fit.y) * horizon * harmonics[0].w * view.strength.w)
        * surface.occlusion * view.strength.x;
    let colour = direct + ambient + surface.emitted;
    return Shade(colour, luminance(ambient) / max(luminance(colour), 1e-5));
}
