// The light of surfaces: one thread for each pixel finds the triangle that is seen there, the place on it, and its material.
// Only triangles are drawn, all light is computed (Burns and Hunt 2013): no pixel is lit twice, and units that draw are few.

struct Draw {
    index_count: u32,
    instance_count: u32,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
}

@group(3) @binding(0) var<storage, read> draws: array<Draw>;
@group(3) @binding(1) var<storage, read> indices: array<u32>;
// Twelve words each: position, normal, tangent, two texture coordinates, two half ones, colour, joints, weights.
@group(3) @binding(2) var<storage, read> vertices: array<u32>;
@group(3) @binding(3) var ids: texture_2d<u32>;
@group(3) @binding(4) var depths: texture_depth_2d;
@group(3) @binding(5) var lit: texture_storage_2d<rgba16float, write>;

const VERTEX_WORDS = 12u;

struct Triangle {
    places: array<vec3f, 3>,
    normals: array<vec3f, 3>,
    tangents: array<vec3f, 3>,
}

fn position_at(at: u32) -> vec3f {
    return bitcast<vec3f>(vec3u(vertices[at], vertices[at + 1u], vertices[at + 2u]));
}

fn uv_at(at: u32) -> vec4f {
    return vec4f(bitcast<vec2f>(vec2u(vertices[at + 5u], vertices[at + 6u])), unpack2x16float(vertices[at + 7u]));
}

fn bitangent_sign(at: u32) -> f32 {
    return select(1.0, -1.0, (vertices[at + 4u] & 0x10000u) != 0u);
}

// A vertex in the frame of the thing; the tangent is read only where it is asked for.
fn read_vertex(triangle: ptr<function, Triangle>, corner: u32, at: u32, thing: Placed, has_tangent: bool) {
    var place = position_at(at);
    var normal = direction_of(unpack2x16snorm(vertices[at + 3u]));
    var tangent = vec3f(0.0);
    if has_tangent { tangent = direction_of(unpack2x16snorm(vertices[at + 4u])); }
    if (thing.flags & 4u) != 0u {
        let low = vertices[at + 9u];
        let high = vertices[at + 10u];
        let joints = vec4u(low & 0xffffu, low >> 16u, high & 0xffffu, high >> 16u);
        let skin = skin_of(thing.joints, joints, unpack4x8unorm(vertices[at + 11u]));
        place = apply(skin, vec4f(place, 1.0));
        normal = apply_normal(skin, normal);
        tangent = apply(skin, vec4f(tangent, 0.0));
    }
    (*triangle).places[corner] = apply(thing.rows, vec4f(place, 1.0));
    (*triangle).normals[corner] = normal;
    (*triangle).tangents[corner] = tangent;
}

@compute @workgroup_size(8, 8)
fn light_surfaces(@builtin(global_invocation_id) id: vec3u) {
    if any(vec2f(id.xy) >= view.size.xy) { return; }
    if textureLoad(depths, id.xy, 0) == 0.0 {
        textureStore(lit, id.xy, vec4f(0.0));
        return;
    }
    let found = textureLoad(ids, id.xy, 0).xy;
    let thing = placed[found.x & ITEM_MASK];
    let drawn = draws[thing.slot + (found.x >> LEVEL_SHIFT)];
    let first = drawn.first_index + found.y * 3u;
    let base = u32(drawn.base_vertex);
    let at = VERTEX_WORDS * (vec3u(indices[first], indices[first + 1u], indices[first + 2u]) + base);
    let flags = materials[thing.material].flags;
    let has_maps = (flags & 4u) != 0u;
    var triangle: Triangle;
    read_vertex(&triangle, 0u, at.x, thing, has_maps);
    read_vertex(&triangle, 1u, at.y, thing, has_maps);
    read_vertex(&triangle, 2u, at.z, thing, has_maps);

    // Where the ray through the pixel meets the triangle (Möller and Trumbore 1997). All three products are linear in the ray,
    // so their changes from pixel to pixel are known too.
    let origin = triangle.places[0];
    let u_edge = triangle.places[1] - origin;
    let v_edge = triangle.places[2] - origin;
    let area = cross(v_edge, u_edge);
    let u_area = cross(v_edge, -origin);
    let v_area = cross(-origin, u_edge);
    let pixel = vec2f(id.xy) + 0.5;
    let ray = ray_of(pixel);
    let ray_dx = view.right.xyz * (view.right.w * 2.0 * view.size.z);
    let ray_dy = view.up.xyz * (view.up.w * -2.0 * view.size.w);
    let whole = dot(area, ray);
    let share = 1.0 / select(whole, 1e-20, whole == 0.0);
    let u = dot(u_area, ray) * share;
    let v = dot(v_area, ray) * share;
    let u_dx = (dot(u_area, ray_dx) - u * dot(area, ray_dx)) * share;
    let v_dx = (dot(v_area, ray_dx) - v * dot(area, ray_dx)) * share;
    let u_dy = (dot(u_area, ray_dy) - u * dot(area, ray_dy)) * share;
    let v_dy = (dot(v_area, ray_dy) - v * dot(area, ray_dy)) * share;

    var point: Point;
    point.is_front = whole > 0.0;
    point.place = origin + u_edge * u + v_edge * v;
    let normal_u = apply_normal(thing.rows, triangle.normals[1] - triangle.normals[0]);
    let normal_v = apply_normal(thing.rows, triangle.normals[2] - triangle.normals[0]);
    let normal = apply_normal(thing.rows, triangle.normals[0]) + normal_u * u + normal_v * v;
    let size = inverseSqrt(max(dot(normal, normal), 1e-30));
    point.normal = normal * size;
    let change_x = (normal_u * u_dx + normal_v * v_dx) * size;
    let change_y = (normal_u * u_dy + normal_v * v_dy) * size;
    point.normal_dx = change_x - point.normal * dot(point.normal, change_x);
    point.normal_dy = change_y - point.normal * dot(point.normal, change_y);
    let colour = unpack4x8unorm(vertices[at.x + 8u]);
    point.colour = colour + (unpack4x8unorm(vertices[at.y + 8u]) - colour) * u + (unpack4x8unorm(vertices[at.z + 8u]) - colour) * v;
    if has_maps {
        let uv = uv_at(at.x);
        let uv_u = uv_at(at.y) - uv;
        let uv_v = uv_at(at.z) - uv;
        point.uv = uv + uv_u * u + uv_v * v;
        point.uv_dx = uv_u * u_dx + uv_v * v_dx;
        point.uv_dy = uv_u * u_dy + uv_v * v_dy;
        let tangent = triangle.tangents[0] * (1.0 - u - v) + triangle.tangents[1] * u + triangle.tangents[2] * v;
        point.tangent = vec4f(apply(thing.rows, vec4f(tangent, 0.0)), bitangent_sign(at.x));
    }
    textureStore(lit, id.xy, light_up(sample_material(point, thing), pixel));
}
