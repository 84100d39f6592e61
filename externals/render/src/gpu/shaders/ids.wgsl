// Which triangle is seen at each pixel, and the depth of shadow casters in one cascade: positions alone, since little else
// can be as fast as triangles are.

struct CascadeIndex {
    index: u32,
    pad: vec3u,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<uniform> cascade: CascadeIndex;

struct Vertex {
    @location(0) position: vec3f,
    @location(6) joints: vec4u,
    @location(7) weights: vec4f,
}

struct MaskedVertex {
    @location(0) position: vec3f,
    @location(3) uv: vec2f,
    @location(4) uv1: vec2f,
    @location(5) colour: vec4f,
    @location(6) joints: vec4u,
    @location(7) weights: vec4f,
}

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) entry: u32,
}

struct MaskedCorner {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) entry: u32,
    @location(1) uv: vec4f,
    @location(2) opacity: f32,
}

@vertex
fn vertex_id(vertex: Vertex, @builtin(instance_index) index: u32) -> Corner {
    let entry = visible[index];
    let place = place_of(placed[entry & ITEM_MASK], vertex.position, vertex.joints, vertex.weights);
    return Corner(view.projection * place, entry);
}

@vertex
fn vertex_shadow(vertex: Vertex, @builtin(instance_index) index: u32) -> @builtin(position) vec4f {
    let place = place_of(placed[visible[index] & ITEM_MASK], vertex.position, vertex.joints, vertex.weights);
    return view.cascades[cascade.index].matrix * place;
}

@vertex
fn vertex_masked_id(vertex: MaskedVertex, @builtin(instance_index) index: u32) -> MaskedCorner {
    let entry = visible[index];
    let place = place_of(placed[entry & ITEM_MASK], vertex.position, vertex.joints, vertex.weights);
    return MaskedCorner(view.projection * place, entry, vec4f(vertex.uv, vertex.uv1), vertex.colour.a);
}

@vertex
fn vertex_masked_shadow(vertex: MaskedVertex, @builtin(instance_index) index: u32) -> MaskedCorner {
    let entry = visible[index];
    let place = place_of(placed[entry & ITEM_MASK], vertex.position, vertex.joints, vertex.weights);
    return MaskedCorner(view.cascades[cascade.index].matrix * place, entry, vec4f(vertex.uv, vertex.uv1), vertex.colour.a);
}

// Whether the mask of a material leaves this pixel free.
fn is_free(corner: MaskedCorner) -> bool {
    let dx = dpdx(corner.uv);
    let dy = dpdy(corner.uv);
    let m = &materials[placed[corner.entry & ITEM_MASK].material];
    var opacity = (*m).base.a * corner.opacity;
    if (*m).base_map.texture != TEXTURE_NONE { opacity *= colour_map((*m).base_map, corner.uv, dx, dy).a; }
    return opacity < (*m).cutoff;
}

@fragment
fn fragment_id(corner: Corner, @builtin(primitive_index) triangle: u32) -> @location(0) vec2u {
    return vec2u(corner.entry, triangle);
}

@fragment
fn fragment_masked_id(corner: MaskedCorner, @builtin(primitive_index) triangle: u32) -> @location(0) vec2u {
    if is_free(corner) { discard; }
    return vec2u(corner.entry, triangle);
}

@fragment
fn fragment_masked_shadow(corner: MaskedCorner) {
    if is_free(corner) { discard; }
}
