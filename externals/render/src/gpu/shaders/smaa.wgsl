// Anti-aliasing: SMAA 1x (Jiménez et al. 2012) for horizontal and vertical edges, as three compute steps. Edges are
// followed texel by texel, and areas are computed rather than looked up.

@group(0) @binding(0) var colours: texture_2d<f32>;
@group(0) @binding(1) var marks: texture_2d<f32>;
@group(0) @binding(2) var target_texture: texture_storage_2d<rgba8unorm, write>;

const THRESHOLD = 0.08;
const SEARCH_MAX = 12;

fn colour_at(pixel: vec2i) -> vec3f {
    return textureLoad(colours, clamp(pixel, vec2i(0), vec2i(textureDimensions(colours)) - 1), 0).rgb;
}

fn mark_at(pixel: vec2i) -> vec4f {
    return textureLoad(marks, clamp(pixel, vec2i(0), vec2i(textureDimensions(marks)) - 1), 0);
}

fn contrast(a: vec3f, b: vec3f) -> f32 {
    let d = abs(a - b);
    return max(d.x, max(d.y, d.z));
}

// Whether there is an edge at the left and at the top of each pixel.
@compute @workgroup_size(8, 8)
fn edges(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(colours)) { return; }
    let pixel = vec2i(id.xy);
    let own = colour_at(pixel);
    let left = colour_at(pixel - vec2i(1, 0));
    let top = colour_at(pixel - vec2i(0, 1));
    let delta = vec2f(contrast(own, left), contrast(own, top));
    var found = step(vec2f(THRESHOLD), delta);
    if found.x + found.y > 0.0 {
        // An edge next to one of twice its contrast is not seen.
        let right = contrast(own, colour_at(pixel + vec2i(1, 0)));
        let bottom = contrast(own, colour_at(pixel + vec2i(0, 1)));
        let far = vec2f(contrast(left, colour_at(pixel - vec2i(2, 0))), contrast(top, colour_at(pixel - vec2i(0, 2))));
        let most = max(max(right, bottom), max(max(delta.x, delta.y), max(far.x, far.y)));
        found *= step(vec2f(most), delta * 2.0);
    }
    textureStore(target_texture, pixel, vec4f(found, 0.0, 1.0));
}

// The area under the line from (x1, y1) to (x2, y2) within the column from x to x + 1: above and below zero.
fn area_of_line(x1: f32, y1: f32, x2: f32, y2: f32, x: f32) -> vec2f {
    if x2 <= x1 { return vec2f(0.0); }
    let slope = (y2 - y1) / (x2 - x1);
    let from_x = max(x, x1);
    let to_x = min(x + 1.0, x2);
    if to_x <= from_x { return vec2f(0.0); }
    let a = y1 + slope * (from_x - x1);
    let b = y1 + slope * (to_x - x1);
    let width = to_x - from_x;
    if a * b >= 0.0 {
        let area = (a + b) * 0.5 * width;
        return select(vec2f(0.0, area), vec2f(-area, 0.0), area < 0.0);
    }
    let cross = width * a / (a - b);
    let first = abs(a) * cross * 0.5;
    let second = abs(b) * (width - cross) * 0.5;
    return select(vec2f(second, first), vec2f(first, second), a < 0.0);
}

// How far the shape of an edge reaches into the pixels on its two sides. `first` and `second` are the distances to its
// ends, `ends` says which crossing edges are there: x before and y after on one side, z before and w after on the other.
fn areas(first: f32, second: f32, ends: vec4f) -> vec2f {
    let length = first + second + 1.0;
    let middle = length * 0.5;
    let side_first = ends.x - ends.z;
    let side_second = ends.y - ends.w;
    var area = vec2f(0.0);
    if side_first * side_second < 0.0 {
        // A step of a slanted edge: one line over its whole length.
        area = area_of_line(0.0, 0.5 * side_first, length, 0.5 * side_second, first);
    } else {
        if side_first != 0.0 { area += area_of_line(0.0, 0.5 * side_first, middle, 0.0, first); }
        if side_second != 0.0 { area += area_of_line(middle, 0.0, length, 0.5 * side_second, first); }
        if side_first * side_second > 0.0 {
            // Short U shapes are smoothed by less, or small things would vanish.
            area = mix(sqrt(area * 2.0) * 0.5, area, saturate(length / 32.0));
        }
    }
    return area;
}

// The length of the run of edges from a pixel in a direction; it ends at a crossing edge.
fn run(pixel: vec2i, along: vec2i, channel: i32) -> i32 {
    var count = 0;
    for (var step = 1; step <= SEARCH_MAX; step++) {
        let at = pixel + along * step;
        if mark_at(at)[channel] < 0.5 { break; }
        // A crossing edge between this texel and the one before ends the run.
        let crossing = select(at - along, at, along.x + along.y < 0) + select(vec2i(0), along, along.x + along.y > 0);
        let before = select(vec2i(0, -1), vec2i(-1, 0), channel == 0);
        let side = select(crossing, crossing - along, along.x + along.y < 0);
        if mark_at(side)[1 - channel] > 0.5 || mark_at(side + before)[1 - channel] > 0.5 { break; }
        count = step;
    }
    return count;
}

// The weights by which a pixel takes from its top and left neighbours, and those from it.
@compute @workgroup_size(8, 8)
fn weights(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(marks)) { return; }
    let pixel = vec2i(id.xy);
    let own = mark_at(pixel);
    var result = vec4f(0.0);
    if own.y > 0.5 {
        // A horizontal edge at the top of the pixel.
        let first = run(pixel, vec2i(-1, 0), 1);
        let second = run(pixel, vec2i(1, 0), 1);
        let start = pixel - vec2i(first, 0);
        let end = pixel + vec2i(second + 1, 0);
        let ends = vec4f(mark_at(start - vec2i(0, 1)).x, mark_at(end - vec2i(0, 1)).x, mark_at(start).x, mark_at(end).x);
        let area = areas(f32(first), f32(second), ends);
        result.x = area.x;
        result.y = area.y;
    }
    if own.x > 0.5 {
        // A vertical edge at its left.
        let first = run(pixel, vec2i(0, -1), 0);
        let second = run(pixel, vec2i(0, 1), 0);
        let start = pixel - vec2i(0, first);
        let end = pixel + vec2i(0, second + 1);
        let ends = vec4f(mark_at(start - vec2i(1, 0)).y, mark_at(end - vec2i(1, 0)).y, mark_at(start).y, mark_at(end).y);
        let area = areas(f32(first), f32(second), ends);
        result.z = area.x;
        result.w = area.y;
    }
    textureStore(target_texture, pixel, result);
}

// Blends each pixel with its neighbours by the weights, which are in `marks`.
@compute @workgroup_size(8, 8)
fn blend(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(colours)) { return; }
    let pixel = vec2i(id.xy);
    let own = mark_at(pixel);
    // Parts of this pixel that are covered by what lies above, below, left and right.
    let top = own.x;
    let left = own.z;
    let bottom = mark_at(pixel + vec2i(0, 1)).y;
    let right = mark_at(pixel + vec2i(1, 0)).w;
    var colour = colour_at(pixel);
    let sum = top + left + bottom + right;
    if sum > 0.0 {
        if max(left, right) > max(top, bottom) {
            colour = colour * (1.0 - saturate(left + right)) + colour_at(pixel - vec2i(1, 0)) * left + colour_at(pixel + vec2i(1, 0)) * right;
        } else {
            colour = colour * (1.0 - saturate(top + bottom)) + colour_at(pixel - vec2i(0, 1)) * top + colour_at(pixel + vec2i(0, 1)) * bottom;
        }
    }
    textureStore(target_texture, pixel, vec4f(colour, 1.0));
}
