// Decals: a picture on the surfaces within a box, lit like them. Each is a box whose inside is drawn.

struct Decal {
    // Rows of the matrix from places to the box, which reaches from -1 to 1.
    rows: array<vec4f, 3>,
    colour: vec4f,
    position: vec3f,
    texture: u32,
    orientation: vec4f,
    half: vec3f,
    pad: u32,
}

@group(1) @binding(0) var<storage, read> decals: array<Decal>;
@group(1) @binding(1) var depth_texture: texture_depth_2d;

struct DecalCorner {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) index: u32,
}

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

@vertex
fn vertex_decal(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> DecalCorner {
    // Two triangles on each of six faces.
    let face = vertex / 6u;
    let corner = array<vec2f, 6>(vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, 1.0))[vertex % 6u];
    let sign = select(1.0, -1.0, face >= 3u);
    var p = vec3f(corner * vec2f(sign, 1.0), sign);
    if face % 3u == 1u { p = p.zxy; }
    if face % 3u == 2u { p = p.yzx; }
    let decal = decals[index];
    let place = decal.position + rotate(decal.orientation, p * decal.half);
    return DecalCorner(view.projection * vec4f(place, 1.0), index);
}

@fragment
fn fragment_decal(corner: DecalCorner) -> @location(0) vec4f {
    let pixel = vec2i(corner.clip.xy);
    let depth = textureLoad(depth_texture, pixel, 0);
    let place = ray_of(corner.clip.xy) * (view.forward.w / max(depth, 1e-9));
    let dx = dpdx(place);
    let dy = dpdy(place);
    let normal = normalize(cross(dy, dx)) ;
    let decal = decals[corner.index];
    let p = vec4f(place, 1.0);
    let at = vec3f(dot(decal.rows[0], p), dot(decal.rows[1], p), dot(decal.rows[2], p));
    let facing = select(-normal, normal, dot(normal, place) < 0.0);
    let axis = rotate(decal.orientation, vec3f(0.0, 0.0, 1.0));
    var colour = decal.colour;
    let uv = vec2f(at.x, -at.y) * 0.5 + 0.5;
    if decal.texture == TEXTURE_NONE {
        colour = vec4f(colour.rgb * 0.05, colour.a * smoothstep(1.0, 0.35, length(at.xy)));
    } else {
        let grad = vec2f(0.5, -0.5) * vec2f(1.0 / decal.half.x, 1.0 / decal.half.y) * length(dx) ;
        colour *= sample_colour(decal.texture, uv, vec2f(grad.x, 0.0), vec2f(0.0, grad.y));
    }
    let inside = depth > 0.0 && all(abs(at) <= vec3f(1.0));
    let fade = smoothstep(0.15, 0.45, dot(facing, axis)) * (1.0 - smoothstep(0.7, 1.0, abs(at.z)));
    let surface = Surface(place, facing, colour.rgb, 0.0, 0.8, 1.0, vec3f(0.0), true);
    let alpha = select(0.0, colour.a * fade, inside);
    if alpha <= 0.003 { discard; }
    let shaded = shade(surface, corner.clip.xy);
    return vec4f(shaded.colour * alpha, alpha);
}
