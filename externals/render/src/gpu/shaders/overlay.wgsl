// Overlay meshes, and the copy of the picture to a window.

struct Screen {
    size: vec4f,
}

@group(0) @binding(0) var<uniform> screen: Screen;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var image_sampler: sampler;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) colour: vec4f,
}

@vertex
fn vertex_overlay(@location(0) position: vec2f, @location(1) uv: vec2f, @location(2) colour: vec4f) -> Corner {
    return Corner(vec4f(position * screen.size.zw * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), uv, colour);
}

@fragment
fn fragment_overlay(corner: Corner) -> @location(0) vec4f {
    return textureSample(image, image_sampler, corner.uv) * corner.colour;
}

@vertex
fn vertex_copy(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(f32((vertex << 1u) & 2u) * 2.0 - 1.0, 1.0 - f32(vertex & 2u) * 2.0, 0.0, 1.0);
}

@fragment
fn fragment_copy(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    return vec4f(textureLoad(image, vec2i(clip.xy), 0).rgb, 1.0);
}

// For windows that encode colours themselves.
@fragment
fn fragment_copy_linear(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    return vec4f(linear_of(textureLoad(image, vec2i(clip.xy), 0).rgb), 1.0);
}
