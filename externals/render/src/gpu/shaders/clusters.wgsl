// Which lamps reach each cluster.

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<storage, read> lamps: array<Lamp>;
@group(1) @binding(1) var<storage, read_write> clusters: array<u32>;

@compute @workgroup_size(64)
fn assign(@builtin(global_invocation_id) id: vec3u) {
    let index = id.x;
    if index >= CLUSTERS.x * CLUSTERS.y * CLUSTERS.z { return; }
    let column = vec2u(index % CLUSTERS.x, (index / CLUSTERS.x) % CLUSTERS.y);
    let slice = index / (CLUSTERS.x * CLUSTERS.y);
    let near = view.forward.w * exp2(f32(slice) / 1.5);
    // The last slice has no end.
    let far = select(view.forward.w * exp2(f32(slice + 1u) / 1.5), 1e9, slice + 1u == CLUSTERS.z);
    let first_edge = vec2f(column) / vec2f(CLUSTERS.xy) * 2.0 - 1.0;
    let last_edge = vec2f(column + 1u) / vec2f(CLUSTERS.xy) * 2.0 - 1.0;
    let tangent = vec2f(view.right.w, view.up.w);
    var count = 0u;
    for (var lamp = 0u; lamp < view.counts.w && count < CLUSTER_LAMPS; lamp++) {
        let away = lamps[lamp].position;
        let range = lamps[lamp].range;
        let at = vec3f(dot(away, view.right.xyz), -dot(away, view.up.xyz), dot(away, view.forward.xyz));
        if at.z + range < near && slice > 0u { continue; }
        if at.z - range > far { continue; }
        // Outside of a side plane of the column by more than its range.
        let low = (at.xy - first_edge * tangent * at.z) * inverseSqrt(1.0 + (first_edge * tangent) * (first_edge * tangent));
        let high = (at.xy - last_edge * tangent * at.z) * inverseSqrt(1.0 + (last_edge * tangent) * (last_edge * tangent));
        if any(low < -vec2f(range)) || any(high > vec2f(range)) { continue; }
        clusters[index * (CLUSTER_LAMPS + 1u) + 1u + count] = lamp;
        count++;
    }
    clusters[index * (CLUSTER_LAMPS + 1u)] = count;
}
