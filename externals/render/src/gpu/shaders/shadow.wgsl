// Depth of shadow casters in one cascade.

struct Placed {
    rows: array<vec4f, 3>,
    material: u32,
    tint: u32,
    flags: u32,
    joints: u32,
}

struct CascadeIndex {
    index: u32,
    pad: vec3u,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<uniform> cascade: CascadeIndex;
@group(1) @binding(0) var<storage, read> visible: array<u32>;
@group(1) @binding(1) var<storage, read> placed: array<Placed>;
@group(1) @binding(2) var<storage, read> matrices: array<array<vec4f, 3>>;

fn apply(rows: array<vec4f, 3>, point: vec4f) -> vec3f {
    return vec3f(dot(rows[0], point), dot(rows[1], point), dot(rows[2], point));
}

@vertex
fn vertex_shadow(@location(0) position: vec3f, @location(6) joints: vec4u, @location(7) weights: vec4f, @builtin(instance_index) index: u32) -> @builtin(position) vec4f {
    let thing = placed[visible[index]];
    var point = position;
    if (thing.flags & 4u) != 0u {
        point = apply(matrices[thing.joints + joints.x], vec4f(position, 1.0)) * weights.x
            + apply(matrices[thing.joints + joints.y], vec4f(position, 1.0)) * weights.y
            + apply(matrices[thing.joints + joints.z], vec4f(position, 1.0)) * weights.z
            + apply(matrices[thing.joints + joints.w], vec4f(position, 1.0)) * weights.w;
    }
    return view.cascades[cascade.index].matrix * vec4f(apply(thing.rows, vec4f(point, 1.0)), 1.0);
}
