// The canvas: rectangles with round corners, images, lines and glyphs, each one instance, all in one draw and in order.
// Lengths are physical pixels; colours are blended as displayed, not as light.

struct Screen {
    size: vec4f,
}

struct Shape {
    // Left, top, right, bottom.
    rect: vec4f,
    uv: vec4f,
    clip: vec4f,
    fill: u32,
    border: u32,
    border_width: f32,
    radius: f32,
    // 0 rectangle, 1 image, 2 glyph, 3 line.
    kind: u32,
    texture: u32,
    pad: vec2u,
}

@group(0) @binding(0) var<uniform> screen: Screen;
@group(1) @binding(0) var<storage, read> shapes: array<Shape>;
@group(1) @binding(1) var glyphs: texture_2d<f32>;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) at: vec2f,
    @location(1) uv: vec2f,
    @location(2) @interpolate(flat) index: u32,
}

@vertex
fn vertex_shape(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> Corner {
    let shape = shapes[index];
    let corner = vec2f(f32((0x32u >> vertex) & 1u), f32((0x2cu >> vertex) & 1u));
    var at = mix(shape.rect.xy, shape.rect.zw, corner);
    if shape.kind == 3u {
        let along = shape.rect.zw - shape.rect.xy;
        let direction = along / max(length(along), 1e-4);
        let half = shape.border_width * 0.5 + 0.5;
        at = mix(shape.rect.xy, shape.rect.zw, corner.x) + vec2f(-direction.y, direction.x) * ((corner.y * 2.0 - 1.0) * half);
        at += direction * (corner.x * 2.0 - 1.0) * 0.5;
        return Corner(vec4f(at * screen.size.zw * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), at, vec2f(0.0, (corner.y * 2.0 - 1.0) * half), index);
    }
    return Corner(vec4f(at * screen.size.zw * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), at, mix(shape.uv.xy, shape.uv.zw, corner), index);
}

fn over(below: vec4f, colour: vec4f, cover: f32) -> vec4f {
    let alpha = colour.a * cover;
    return vec4f(colour.rgb * alpha, alpha) + below * (1.0 - alpha);
}

@fragment
fn fragment_shape(corner: Corner) -> @location(0) vec4f {
    // The same step along both axes: a line has no width in texture coordinates, and some drivers divide by it.
    let step = max(length(dpdx(corner.uv)), length(dpdy(corner.uv))) + 1e-6;
    let dx = vec2f(step, 0.0);
    let dy = vec2f(0.0, step);
    let shape = shapes[corner.index];
    if any(corner.at < shape.clip.xy) || any(corner.at >= shape.clip.zw) { discard; }
    let fill = unpack4x8unorm(shape.fill);
    if shape.kind == 1u {
        var texel = vec4f(1.0);
        if shape.texture != TEXTURE_NONE { texel = sample_colour(shape.texture, corner.uv, dx, dy); }
        return over(vec4f(0.0), vec4f(srgb_of(texel.rgb) * fill.rgb, texel.a * fill.a), 1.0);
    }
    if shape.kind == 2u {
        // A texel of the atlas is a pixel.
        let cover = textureLoad(glyphs, vec2i(corner.uv), 0).r;
        return over(vec4f(0.0), fill, cover);
    }
    if shape.kind == 3u {
        return over(vec4f(0.0), fill, saturate(shape.border_width * 0.5 + 0.5 - abs(corner.uv.y)));
    }
    // The signed distance from the edge of the rounded rectangle (Quilez).
    let half = (shape.rect.zw - shape.rect.xy) * 0.5;
    let radius = min(shape.radius, min(half.x, half.y));
    let q = abs(corner.at - (shape.rect.xy + half)) - half + radius;
    let distance = min(max(q.x, q.y), 0.0) + length(max(q, vec2f(0.0))) - radius;
    let cover = select(1.0, saturate(0.5 - distance), radius > 0.0);
    let inside = over(vec4f(0.0), fill, cover);
    if shape.border_width <= 0.0 { return inside; }
    return mix(over(vec4f(0.0), unpack4x8unorm(shape.border), cover), inside, saturate(0.5 - distance - shape.border_width));
}
