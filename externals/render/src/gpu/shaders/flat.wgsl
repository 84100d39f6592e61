// Flat drawing in displayed colours: lines of debug drawing, the canvas, overlays, and the copy to a window.

@group(0) @binding(0) var<uniform> view: View;

struct Line {
    from_place: vec3f,
    colour: u32,
    to_place: vec3f,
    width: f32,
}

@group(1) @binding(0) var<storage, read> lines: array<Line>;

struct LineCorner {
    @builtin(position) clip: vec4f,
    @location(0) colour: vec4f,
    @location(1) across: f32,
}

const SQUARE = array<vec2f, 6>(vec2f(0.0, -1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0), vec2f(0.0, -1.0), vec2f(1.0, 1.0), vec2f(0.0, 1.0));

@vertex
fn vertex_line(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> LineCorner {
    let line = lines[index];
    var square = SQUARE;
    let corner = square[vertex];
    var a = line.from_place;
    var b = line.to_place;
    // Cut at the near plane, behind which a place has no place in the picture.
    let near = view.forward.w;
    let depth_a = dot(a, view.forward.xyz);
    let depth_b = dot(b, view.forward.xyz);
    if depth_a < near && depth_b < near { return LineCorner(vec4f(0.0, 0.0, -1.0, 1.0), vec4f(0.0), 0.0); }
    if depth_a < near { a = mix(a, b, (near * 1.01 - depth_a) / (depth_b - depth_a)); }
    if depth_b < near { b = mix(b, a, (near * 1.01 - depth_b) / (depth_a - depth_b)); }
    let clip_a = view.projection * vec4f(a, 1.0);
    let clip_b = view.projection * vec4f(b, 1.0);
    let along = (clip_b.xy / clip_b.w - clip_a.xy / clip_a.w) * view.size.xy;
    let direction = along / max(length(along), 1e-4);
    let half_width = line.width * 0.5 + 0.5;
    var clip = mix(clip_a, clip_b, corner.x);
    let offset = (vec2f(-direction.y, direction.x) * corner.y + direction * (corner.x * 2.0 - 1.0) * 0.5) * half_width;
    clip = vec4f(clip.xy + offset * 2.0 * view.size.zw * clip.w, clip.z * 1.0005, clip.w);
    return LineCorner(clip, unpack4x8unorm(line.colour), corner.y * half_width);
}

@fragment
fn fragment_line(corner: LineCorner) -> @location(0) vec4f {
    let cover = saturate(1.25 - abs(corner.across));
    return vec4f(corner.colour.rgb, 1.0) * (corner.colour.a * cover);
}
