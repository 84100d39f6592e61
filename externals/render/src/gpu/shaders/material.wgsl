// What a surface is made of at a place, and the light it sends to the eye.

fn value_map(map: Map, uv: vec4f, dx: vec4f, dy: vec4f) -> vec4f {
    let x = select(dx.xy, dx.zw, (map.flags & 1u) != 0u);
    let y = select(dy.xy, dy.zw, (map.flags & 1u) != 0u);
    return sample_value(map.texture, uv_of(map, uv), vec2f(dot(map.matrix.xy, x), dot(map.matrix.zw, x)), vec2f(dot(map.matrix.xy, y), dot(map.matrix.zw, y)));
}

// Grain and strata of stone in the frame of the thing, so that it moves along. x: brightness, y: roughness.
fn grain_at(thing: Placed, place: vec3f, normal: vec3f) -> vec3f {
    let away = place - vec3f(thing.rows[0].w, thing.rows[1].w, thing.rows[2].w);
    let x = vec3f(thing.rows[0].x, thing.rows[1].x, thing.rows[2].x);
    let y = vec3f(thing.rows[0].y, thing.rows[1].y, thing.rows[2].y);
    let z = vec3f(thing.rows[0].z, thing.rows[1].z, thing.rows[2].z);
    // Metres along the axes of the thing.
    let at = vec3f(dot(away, normalize(x)), dot(away, normalize(y)), dot(away, normalize(z)));
    let seed = vec3f(f32(thing.tint & 255u)) * 0.37;
    // Features smaller than a pixel are left out, or they would shimmer.
    let footprint = length(place) * view.up.w * 2.0 * view.size.w;
    let fine = noise(at * 9.0 + seed);
    let coarse = fractal(at * 1.3 + seed, 3);
    let broad = noise(at * 0.21 + seed + 5.0);
    let strata = 0.5 + 0.5 * sin(at.z * 5.0 + coarse * 9.0);
    let clear_fine = saturate(1.0 - footprint * 14.0);
    let clear = saturate(1.0 - footprint * 2.0);
    return vec3f(
        1.0 + (broad - 0.5) * 0.3 + ((coarse - 0.44) * 1.1 + (strata - 0.5) * 0.22) * clear + (fine - 0.5) * 0.34 * clear_fine,
        (fine - 0.5) * 0.2 * clear_fine,
        (coarse - 0.44) * clear + (broad - 0.5) * 0.5,
    );
}

struct Sampled {
    base: vec4f,
    surface: Surface,
    is_unlit: bool,
}

// A place on a surface. The changes of texture coordinates and of the normal are those from one pixel to the next.
struct Point {
    place: vec3f,
    normal: vec3f,
    normal_dx: vec3f,
    normal_dy: vec3f,
    tangent: vec4f,
    uv: vec4f,
    uv_dx: vec4f,
    uv_dy: vec4f,
    colour: vec4f,
    is_front: bool,
}

fn sample_material(point: Point, thing: Placed) -> Sampled {
    let dx = point.uv_dx;
    let dy = point.uv_dy;
    let m = &materials[thing.material];
    let team = linear_of(unpack4x8unorm(thing.tint).rgb);
    let factors = (*m).factors;
    let has_maps = ((*m).flags & 4u) != 0u;
    var base = (*m).base * point.colour;
    var metallic = factors.x;
    var roughness = factors.y;
    var occlusion = 1.0;
    var emitted = (*m).emissive.rgb * mix(vec3f(1.0), team, (*m).emissive.w);
    var normal = point.normal * select(-1.0, 1.0, point.is_front);
    if has_maps {
        if (*m).base_map.texture != TEXTURE_NONE { base *= colour_map((*m).base_map, point.uv, dx, dy); }
        if (*m).rough_map.texture != TEXTURE_NONE {
            let value = value_map((*m).rough_map, point.uv, dx, dy);
            roughness *= value.g;
            metallic *= value.b;
        }
        if (*m).occlusion_map.texture != TEXTURE_NONE {
            occlusion = 1.0 + factors.w * (value_map((*m).occlusion_map, point.uv, dx, dy).r - 1.0);
        }
        if (*m).emissive_map.texture != TEXTURE_NONE { emitted *= colour_map((*m).emissive_map, point.uv, dx, dy).rgb; }
        if (*m).normal_map.texture != TEXTURE_NONE {
            let xy = (value_map((*m).normal_map, point.uv, dx, dy).rg * 2.0 - 1.0) * factors.z;
            let tangent = normalize(point.tangent.xyz - normal * dot(normal, point.tangent.xyz));
            let bitangent = cross(normal, tangent) * point.tangent.w;
            normal = normalize(tangent * xy.x + bitangent * xy.y + normal * sqrt(max(1.0 - dot(xy, xy), 0.01)));
        }
    }
    base = vec4f(base.rgb * mix(vec3f(1.0), team, (*m).team), base.a);
    if (*m).grain > 0.0 {
        let grain = grain_at(thing, point.place, normal) * (*m).grain;
        base = vec4f(saturate(base.rgb * (1.0 - (*m).grain + grain.x) * (1.0 + vec3f(0.18, 0.0, -0.22) * grain.z)), base.a);
        roughness = saturate(roughness + grain.y);
    }
    // Highlights of small triangles would flicker: variance of the normal widens them (Kaplanyan and Hill 2016).
    let change = point.normal_dx * point.normal_dx + point.normal_dy * point.normal_dy;
    let variance = min(0.18, 0.25 * (change.x + change.y + change.z));
    roughness = sqrt(sqrt(saturate(roughness * roughness * roughness * roughness + variance)));
    var sampled: Sampled;
    sampled.base = base;
    sampled.is_unlit = ((*m).flags & 1u) != 0u;
    sampled.surface = Surface(point.place, normal, base.rgb, metallic, roughness, occlusion, emitted, (thing.flags & 2u) != 0u);
    return sampled;
}

fn light_up(sampled: Sampled, pixel: vec2f) -> vec4f {
    if sampled.is_unlit { return vec4f(sampled.base.rgb + sampled.surface.emitted, 0.0); }
    let shade = shade(sampled.surface, pixel);
    return vec4f(shade.colour, shade.ambient);
}
