// Prediction, culling and levels of detail: one thread for each item writes its transform and enters the lists of the
// views that see it. View 0 is the camera, the others are cascades.

struct Instance {
    position: vec3f,
    scale: f32,
    orientation: vec4f,
    velocity: vec3f,
    tint: u32,
    spin: vec3f,
    look: u32,
}

struct Item {
    instance: u32,
    part: u32,
    material: u32,
    // The first matrix of its pose or of its skin; none: the rest pose.
    matrices: u32,
    size: vec3f,
    pad: u32,
}

struct Part {
    rest: array<vec4f, 3>,
    sphere: vec4f,
    bucket: u32,
    // 1: casts shadows, 2: receives shadows, 4: skinned.
    flags: u32,
    lod_factor: f32,
    pad: u32,
}

struct Bucket {
    slot: u32,
    lods: u32,
    first: u32,
    capacity: u32,
    // Errors of the levels in metres; negative: the distances at which they begin.
    errors: vec4f,
}

struct Draw {
    index_count: u32,
    instance_count: atomic<u32>,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<storage, read> instances: array<Instance>;
@group(1) @binding(1) var<storage, read> items: array<Item>;
@group(1) @binding(2) var<storage, read> parts: array<Part>;
@group(1) @binding(3) var<storage, read> buckets: array<Bucket>;
@group(1) @binding(4) var<storage, read> matrices: array<array<vec4f, 3>>;
@group(1) @binding(5) var<storage, read_write> placed: array<Placed>;
@group(1) @binding(6) var<storage, read_write> visible: array<u32>;
@group(1) @binding(7) var<storage, read_write> draws: array<Draw>;

const NONE = 0xffffffffu;

fn multiply(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// The rotation after `seconds` of turning.
fn turned(orientation: vec4f, spin: vec3f, seconds: f32) -> vec4f {
    let rate = length(spin);
    let half = rate * seconds * 0.5;
    if abs(half) < 1e-6 { return orientation; }
    return normalize(multiply(vec4f(spin * (sin(half) / rate), cos(half)), orientation));
}

fn compose(left: array<vec4f, 3>, right: array<vec4f, 3>) -> array<vec4f, 3> {
    var result: array<vec4f, 3>;
    for (var row = 0; row < 3; row++) {
        let a = left[row];
        result[row] = a.x * right[0] + a.y * right[1] + a.z * right[2] + vec4f(0.0, 0.0, 0.0, a.w);
    }
    return result;
}

fn placement(instance: Instance, size: vec3f) -> array<vec4f, 3> {
    let position = instance.position - view.eye.xyz + instance.velocity * view.eye.w;
    let q = turned(instance.orientation, instance.spin, view.eye.w);
    let s = size * instance.scale;
    let x = vec3f(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.z * q.w), 2.0 * (q.x * q.z + q.y * q.w));
    let y = vec3f(2.0 * (q.x * q.y + q.z * q.w), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.x * q.w));
    let z = vec3f(2.0 * (q.x * q.z - q.y * q.w), 2.0 * (q.y * q.z + q.x * q.w), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
    return array<vec4f, 3>(vec4f(x * s, position.x), vec4f(y * s, position.y), vec4f(z * s, position.z));
}

fn enter(list: u32, bucket: Bucket, level: u32, item: u32) {
    let index = atomicAdd(&draws[list * view.counts.y + bucket.slot + level].instance_count, 1u);
    visible[list * view.counts.z + bucket.first + level * bucket.capacity + index] = item | (level << LEVEL_SHIFT);
}

// The coarsest level whose error is not seen from this distance.
fn level_at(bucket: Bucket, distance: f32, scale: f32, factor: f32) -> u32 {
    var level = 0u;
    for (var next = 1u; next < bucket.lods; next++) {
        let error = bucket.errors[next];
        let begin = select(error * scale * view.detail.x, -error, error < 0.0);
        if distance < begin * factor { break; }
        level = next;
    }
    return level;
}

// The coarsest level from `finest` on whose error is within a texel of a shadow map: no map can show it.
fn level_in_map(bucket: Bucket, finest: u32, texel: f32, scale: f32) -> u32 {
    var level = finest;
    for (var next = finest + 1u; next < bucket.lods; next++) {
        let error = bucket.errors[next];
        if error < 0.0 || error * scale > texel { break; }
        level = next;
    }
    return level;
}

@compute @workgroup_size(64)
fn cull(@builtin(global_invocation_id) id: vec3u) {
    let index = id.x;
    if index >= view.counts.x { return; }
    let item = items[index];
    let instance = instances[item.instance];
    let part = parts[item.part];
    let is_skinned = (part.flags & 4u) != 0u;
    var rows = placement(instance, item.size);
    if !is_skinned {
        if item.matrices == NONE {
            rows = compose(rows, part.rest);
        } else {
            rows = compose(rows, matrices[item.matrices]);
        }
    }
    let bucket = buckets[part.bucket];
    let flags = (part.flags & 7u) | (instance.look << 8u);
    placed[index] = Placed(rows, item.material, instance.tint, flags, item.matrices, bucket.slot, 0u, 0u, 0u);

    // Blended things are sorted and drawn one by one.
    if bucket.lods == 0u { return; }
    let centre = vec4f(part.sphere.xyz, 1.0);
    let place = vec3f(dot(rows[0], centre), dot(rows[1], centre), dot(rows[2], centre));
    let columns = vec3f(
        length(vec3f(rows[0].x, rows[1].x, rows[2].x)),
        length(vec3f(rows[0].y, rows[1].y, rows[2].y)),
        length(vec3f(rows[0].z, rows[1].z, rows[2].z)),
    );
    let scale = max(columns.x, max(columns.y, columns.z));
    let radius = part.sphere.w * scale;
    let distance = max(length(place) - radius, view.forward.w);
    let pixels = radius * view.size.y * 0.5 / (view.up.w * distance);
    let level = level_at(bucket, distance, scale, part.lod_factor);

    var is_seen = pixels >= view.detail.y;
    for (var plane = 0; plane < 5; plane++) {
        is_seen = is_seen && dot(view.planes[plane].xyz, place) + view.planes[plane].w > -radius;
    }
    if is_seen { enter(0u, bucket, level, index); }

    // The shadow of what is not seen for its size is not seen either.
    if (part.flags & 1u) == 0u || pixels < 2.5 * view.detail.y { return; }
    let coarser = min(level + 1u, bucket.lods - 1u);
    for (var cascade = 0u; cascade < u32(view.detail.z); cascade++) {
        let metric = view.cascades[cascade].metric;
        let at = view.cascades[cascade].matrix * vec4f(place, 1.0);
        let reach = 1.0 + radius * metric.z;
        if abs(at.x) > reach || abs(at.y) > reach || at.z > 1.0 + radius * metric.w { continue; }
        // A shadow of three texels flickers.
        if radius < 1.5 * metric.x { continue; }
        enter(1u + cascade, bucket, level_in_map(bucket, coarser, metric.x, scale), index);
    }
}
