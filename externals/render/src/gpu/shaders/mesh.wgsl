// Triangles of models and shapes: opaque, masked and blended, their shadows and the mask of outlines.

struct Placed {
    rows: array<vec4f, 3>,
    material: u32,
    tint: u32,
    flags: u32,
    joints: u32,
}

struct Map {
    matrix: vec4f,
    offset: vec2f,
    texture: u32,
    // 1: the second texture coordinates.
    flags: u32,
}

struct Material {
    base: vec4f,
    // Emitted light; w: the part that takes the colour of the team.
    emissive: vec4f,
    // Metallic, roughness, factor of the normal map, strength of the occlusion map.
    factors: vec4f,
    cutoff: f32,
    // The part of the base colour that takes the colour of the team.
    team: f32,
    // The strength of the grain of stone.
    grain: f32,
    // 1: unlit, 2: double-sided, 4: has maps.
    flags: u32,
    base_map: Map,
    rough_map: Map,
    normal_map: Map,
    occlusion_map: Map,
    emissive_map: Map,
}

@group(1) @binding(0) var<storage, read> visible: array<u32>;
@group(1) @binding(1) var<storage, read> placed: array<Placed>;
@group(1) @binding(2) var<storage, read> matrices: array<array<vec4f, 3>>;
@group(1) @binding(3) var<storage, read> materials: array<Material>;

struct Vertex {
    @location(0) position: vec3f,
    @location(1) normal: vec2f,
    @location(2) tangent: vec2f,
    @location(3) uv: vec2f,
    @location(4) uv1: vec2f,
    @location(5) colour: vec4f,
    @location(6) joints: vec4u,
    @location(7) weights: vec4f,
}

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec4f,
    @location(3) uv: vec4f,
    @location(4) colour: vec4f,
    @location(5) @interpolate(flat) item: u32,
}

fn direction_of(octahedral: vec2f) -> vec3f {
    var n = vec3f(octahedral, 1.0 - abs(octahedral.x) - abs(octahedral.y));
    let fold = saturate(-n.z);
    n.x += select(fold, -fold, n.x >= 0.0);
    n.y += select(fold, -fold, n.y >= 0.0);
    return normalize(n);
}

fn apply(rows: array<vec4f, 3>, point: vec4f) -> vec3f {
    return vec3f(dot(rows[0], point), dot(rows[1], point), dot(rows[2], point));
}

// Directions of normals: the cofactors of the matrix, so that scales along single axes are right.
fn apply_normal(rows: array<vec4f, 3>, n: vec3f) -> vec3f {
    let a = cross(rows[1].xyz, rows[2].xyz);
    let b = cross(rows[2].xyz, rows[0].xyz);
    let c = cross(rows[0].xyz, rows[1].xyz);
    return vec3f(dot(a, n), dot(b, n), dot(c, n));
}

fn skin_of(thing: Placed, vertex: Vertex) -> array<vec4f, 3> {
    var rows: array<vec4f, 3>;
    for (var row = 0; row < 3; row++) {
        rows[row] = matrices[thing.joints + vertex.joints.x][row] * vertex.weights.x
            + matrices[thing.joints + vertex.joints.y][row] * vertex.weights.y
            + matrices[thing.joints + vertex.joints.z][row] * vertex.weights.z
            + matrices[thing.joints + vertex.joints.w][row] * vertex.weights.w;
    }
    return rows;
}

@vertex
fn vertex_main(vertex: Vertex, @builtin(instance_index) index: u32) -> Corner {
    let item = visible[index];
    let thing = placed[item];
    var position = vertex.position;
    var normal = direction_of(vertex.normal);
    // The lowest bit of the tangent's second number is the sign of the bitangent.
    var tangent = direction_of(vertex.tangent);
    let sign = select(1.0, -1.0, (u32(i32(round(vertex.tangent.y * 32767.0))) & 1u) != 0u);
    if (thing.flags & 4u) != 0u {
        let skin = skin_of(thing, vertex);
        position = apply(skin, vec4f(position, 1.0));
        normal = apply_normal(skin, normal);
        tangent = apply(skin, vec4f(tangent, 0.0));
    }
    var corner: Corner;
    corner.place = apply(thing.rows, vec4f(position, 1.0));
    corner.normal = normalize(apply_normal(thing.rows, normal));
    corner.tangent = vec4f(normalize(apply(thing.rows, vec4f(tangent, 0.0))), sign);
    corner.uv = vec4f(vertex.uv, vertex.uv1);
    corner.colour = vertex.colour;
    corner.item = item;
    corner.clip = view.projection * vec4f(corner.place, 1.0);
    return corner;
}

struct Sampled {
    base: vec4f,
    surface: Surface,
    is_unlit: bool,
}

fn uv_of(map: Map, uv: vec4f) -> vec2f {
    let at = select(uv.xy, uv.zw, (map.flags & 1u) != 0u);
    return vec2f(dot(map.matrix.xy, at), dot(map.matrix.zw, at)) + map.offset;
}

fn colour_map(map: Map, uv: vec4f, dx: vec4f, dy: vec4f) -> vec4f {
    let x = select(dx.xy, dx.zw, (map.flags & 1u) != 0u);
    let y = select(dy.xy, dy.zw, (map.flags & 1u) != 0u);
    return sample_colour(map.texture, uv_of(map, uv), vec2f(dot(map.matrix.xy, x), dot(map.matrix.zw, x)), vec2f(dot(map.matrix.xy, y), dot(map.matrix.zw, y)));
}

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

fn sample_material(corner: Corner, is_front: bool) -> Sampled {
    let dx = dpdx(corner.uv);
    let dy = dpdy(corner.uv);
    let thing = placed[corner.item];
    let m = &materials[thing.material];
    let team = linear_of(unpack4x8unorm(thing.tint).rgb);
    let factors = (*m).factors;
    let has_maps = ((*m).flags & 4u) != 0u;
    var base = (*m).base * corner.colour;
    var metallic = factors.x;
    var roughness = factors.y;
    var occlusion = 1.0;
    var emitted = (*m).emissive.rgb * mix(vec3f(1.0), team, (*m).emissive.w);
    var normal = normalize(corner.normal) * select(-1.0, 1.0, is_front);
    if has_maps {
        if (*m).base_map.texture != TEXTURE_NONE { base *= colour_map((*m).base_map, corner.uv, dx, dy); }
        if (*m).rough_map.texture != TEXTURE_NONE {
            let value = value_map((*m).rough_map, corner.uv, dx, dy);
            roughness *= value.g;
            metallic *= value.b;
        }
        if (*m).occlusion_map.texture != TEXTURE_NONE {
            occlusion = 1.0 + factors.w * (value_map((*m).occlusion_map, corner.uv, dx, dy).r - 1.0);
        }
        if (*m).emissive_map.texture != TEXTURE_NONE { emitted *= colour_map((*m).emissive_map, corner.uv, dx, dy).rgb; }
        if (*m).normal_map.texture != TEXTURE_NONE {
            let xy = (value_map((*m).normal_map, corner.uv, dx, dy).rg * 2.0 - 1.0) * factors.z;
            let tangent = normalize(corner.tangent.xyz - normal * dot(normal, corner.tangent.xyz));
            let bitangent = cross(normal, tangent) * corner.tangent.w;
            normal = normalize(tangent * xy.x + bitangent * xy.y + normal * sqrt(max(1.0 - dot(xy, xy), 0.01)));
        }
    }
    base = vec4f(base.rgb * mix(vec3f(1.0), team, (*m).team), base.a);
    if (*m).grain > 0.0 {
        let grain = grain_at(thing, corner.place, normal) * (*m).grain;
        base = vec4f(saturate(base.rgb * (1.0 - (*m).grain + grain.x) * (1.0 + vec3f(0.18, 0.0, -0.22) * grain.z)), base.a);
        roughness = saturate(roughness + grain.y);
    }
    // Highlights of small triangles would flicker: variance of the normal widens them (Kaplanyan and Hill 2016).
    let change = dpdx(normal) * dpdx(normal) + dpdy(normal) * dpdy(normal);
    let variance = min(0.18, 0.25 * (change.x + change.y + change.z));
    roughness = sqrt(sqrt(saturate(roughness * roughness * roughness * roughness + variance)));
    var sampled: Sampled;
    sampled.base = base;
    sampled.is_unlit = ((*m).flags & 1u) != 0u;
    sampled.surface = Surface(corner.place, normal, base.rgb, metallic, roughness, occlusion, emitted, (thing.flags & 2u) != 0u);
    return sampled;
}

fn light_up(sampled: Sampled, pixel: vec2f) -> vec4f {
    if sampled.is_unlit { return vec4f(sampled.base.rgb + sampled.surface.emitted, 0.0); }
    let shade = shade(sampled.surface, pixel);
    return vec4f(shade.colour, shade.ambient);
}

@fragment
fn fragment_opaque(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return light_up(sample_material(corner, is_front), corner.clip.xy);
}

@fragment
fn fragment_masked(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let sampled = sample_material(corner, is_front);
    if sampled.base.a < materials[placed[corner.item].material].cutoff { discard; }
    return light_up(sampled, corner.clip.xy);
}

@fragment
fn fragment_blended(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let sampled = sample_material(corner, is_front);
    let lit = light_up(sampled, corner.clip.xy).rgb;
    let clear = clearness(corner.place);
    let colour = lit * clear + fog_colour(normalize(corner.place)) * (1.0 - clear);
    return vec4f(colour * sampled.base.a, sampled.base.a);
}

struct Silhouette {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) colour: vec4f,
}

// Selected things are covered fully, those under the pointer faintly.
@vertex
fn vertex_outline(vertex: Vertex, @builtin(instance_index) index: u32) -> Silhouette {
    let thing = placed[visible[index]];
    var position = vertex.position;
    if (thing.flags & 4u) != 0u { position = apply(skin_of(thing, vertex), vec4f(position, 1.0)); }
    let is_selected = (thing.flags & 0x100u) != 0u;
    let colour = mix(unpack4x8unorm(thing.tint).rgb, vec3f(1.0), 0.35);
    return Silhouette(view.projection * vec4f(apply(thing.rows, vec4f(position, 1.0)), 1.0), vec4f(colour, select(0.5, 1.0, is_selected)));
}

@fragment
fn fragment_outline(silhouette: Silhouette) -> @location(0) vec4f {
    return silhouette.colour;
}
