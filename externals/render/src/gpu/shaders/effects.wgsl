// Sprites and ribbons of effects, as squares and strips that face the camera. Colours are multiplied by opacity, and
// additive ones have an opacity of zero: so both kinds are drawn in one order, from back to front.

struct Sprite {
    position: vec3f,
    size: f32,
    stretch: vec3f,
    rotation: f32,
    colour: vec4f,
    texture: u32,
    // 1: additive, 2: a soft disc.
    flags: u32,
    pad: vec2u,
}

struct RibbonCorner {
    position: vec3f,
    width: f32,
    colour: vec4f,
    direction: vec3f,
    along: f32,
    texture: u32,
    flags: u32,
    pad: vec2u,
}

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<storage, read> sprites: array<Sprite>;
@group(1) @binding(1) var<storage, read> ribbon: array<RibbonCorner>;
@group(1) @binding(2) var depth_texture: texture_depth_2d;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) colour: vec4f,
    @location(2) place: vec3f,
    @location(3) @interpolate(flat) texture: u32,
    @location(4) @interpolate(flat) flags: u32,
    @location(5) @interpolate(flat) softness: f32,
}

const SQUARE = array<vec2f, 6>(vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, 1.0));

// Things thinner than a pixel are drawn a pixel wide, and fainter.
fn least_width(width: f32, distance: f32) -> vec2f {
    let pixel = distance * view.up.w * view.size.w * 1.2;
    let shown = max(width, pixel);
    return vec2f(shown, saturate(width / pixel));
}

@vertex
fn vertex_sprite(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> Corner {
    let sprite = sprites[index];
    var square = SQUARE;
    let corner = square[vertex];
    let distance = max(length(sprite.position), 1e-4);
    let to_eye = -sprite.position / distance;
    let width = least_width(sprite.size, distance);
    let length_of = length(sprite.stretch);
    var x = view.right.xyz;
    var y = view.up.xyz;
    var fade = width.y * width.y;
    if length_of > 1e-6 {
        let axis = sprite.stretch / length_of;
        x = cross(axis, to_eye);
        x = x / max(length(x), 1e-4) * width.x;
        y = axis * max(length_of, width.x);
        fade = width.y;
    } else {
        let turn = vec2f(cos(sprite.rotation), sin(sprite.rotation));
        let right = normalize(cross(view.up.xyz, to_eye));
        let up = cross(to_eye, right);
        x = (right * turn.x + up * turn.y) * width.x;
        y = (up * turn.x - right * turn.y) * width.x;
    }
    let place = sprite.position + x * corner.x + y * corner.y;
    var colour = sprite.colour;
    colour.a *= fade;
    return Corner(view.projection * vec4f(place, 1.0), corner * vec2f(0.5, -0.5) + 0.5, colour, place, sprite.texture, sprite.flags, sprite.size * 0.8);
}

@vertex
fn vertex_ribbon(@builtin(vertex_index) vertex: u32) -> Corner {
    let point = ribbon[vertex / 2u];
    let side = select(-1.0, 1.0, (vertex & 1u) == 1u);
    let distance = max(length(point.position), 1e-4);
    let width = least_width(point.width, distance);
    var across = cross(point.direction, -point.position / distance);
    across = across / max(length(across), 1e-4);
    let place = point.position + across * (side * width.x);
    var colour = point.colour;
    colour.a *= width.y;
    return Corner(view.projection * vec4f(place, 1.0), vec2f(point.along, side * 0.5 + 0.5), colour, place, point.texture, point.flags, point.width);
}

@fragment
fn fragment_effect(corner: Corner) -> @location(0) vec4f {
    let step = max(length(dpdx(corner.uv)), length(dpdy(corner.uv))) + 1e-6;
    let dx = vec2f(step, 0.0);
    let dy = vec2f(0.0, step);
    var colour = corner.colour;
    if corner.texture != TEXTURE_NONE {
        colour *= sample_colour(corner.texture, corner.uv, dx, dy);
    } else if (corner.flags & 2u) != 0u {
        let away = length(corner.uv * 2.0 - 1.0);
        let soft = saturate(1.0 - away);
        // Light falls off quickly from its centre; smoke is full almost to its edge.
        colour.a *= select(soft * soft * (3.0 - 2.0 * soft), pow(soft, 2.6), (corner.flags & 1u) != 0u);
    } else {
        let away = abs(corner.uv.y * 2.0 - 1.0);
        let core = saturate(1.0 - away * 3.0);
        colour.a *= pow(saturate(1.0 - away), 1.7) + core * 0.6;
    }
    // Sprites fade out where they meet a surface.
    let depth = textureLoad(depth_texture, vec2i(corner.clip.xy), 0);
    let behind = view.forward.w / max(depth, 1e-9) - dot(corner.place, view.forward.xyz);
    colour.a *= saturate(behind / max(corner.softness, 1e-4));
    let clear = clearness(corner.place);
    if (corner.flags & 1u) != 0u { return vec4f(colour.rgb * (colour.a * clear), 0.0); }
    let fogged = mix(fog_colour(normalize(corner.place)), colour.rgb, clear);
    return vec4f(fogged * saturate(colour.a), saturate(colour.a));
}
