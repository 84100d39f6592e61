// Blended triangles of models and shapes, and the mask of outlines.

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

@vertex
fn vertex_main(vertex: Vertex, @builtin(instance_index) index: u32) -> Corner {
    let item = visible[index] & ITEM_MASK;
    let thing = placed[item];
    var position = vertex.position;
    var normal = direction_of(vertex.normal);
    // The lowest bit of the tangent's second number is the sign of the bitangent.
    var tangent = direction_of(vertex.tangent);
    let sign = select(1.0, -1.0, (u32(i32(round(vertex.tangent.y * 32767.0))) & 1u) != 0u);
    if (thing.flags & 4u) != 0u {
        let skin = skin_of(thing.joints, vertex.joints, vertex.weights);
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

@fragment
fn fragment_blended(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let point = Point(
        corner.place, normal, dpdx(normal), dpdy(normal), corner.tangent, corner.uv, dpdx(corner.uv), dpdy(corner.uv), corner.colour, is_front,
    );
    let sampled = sample_material(point, placed[corner.item]);
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
    let thing = placed[visible[index] & ITEM_MASK];
    let place = place_of(thing, vertex.position, vertex.joints, vertex.weights);
    let is_selected = (thing.flags & 0x100u) != 0u;
    let colour = mix(unpack4x8unorm(thing.tint).rgb, vec3f(1.0), 0.35);
    return Silhouette(view.projection * place, vec4f(colour, select(0.5, 1.0, is_selected)));
}

@fragment
fn fragment_outline(silhouette: Silhouette) -> @location(0) vec4f {
    return silhouette.colour;
}
