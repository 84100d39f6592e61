// Things that are drawn, their materials and their joints.

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

// The skin at a vertex.
fn skin_of(first: u32, joints: vec4u, weights: vec4f) -> array<vec4f, 3> {
    var rows: array<vec4f, 3>;
    for (var row = 0; row < 3; row++) {
        rows[row] = matrices[first + joints.x][row] * weights.x
            + matrices[first + joints.y][row] * weights.y
            + matrices[first + joints.z][row] * weights.z
            + matrices[first + joints.w][row] * weights.w;
    }
    return rows;
}

// Where a vertex of a thing is, as its skin and its placement have it.
fn place_of(thing: Placed, position: vec3f, joints: vec4u, weights: vec4f) -> vec4f {
    var point = position;
    if (thing.flags & 4u) != 0u { point = apply(skin_of(thing.joints, joints, weights), vec4f(position, 1.0)); }
    return vec4f(apply(thing.rows, vec4f(point, 1.0)), 1.0);
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
