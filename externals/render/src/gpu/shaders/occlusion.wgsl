// Ambient occlusion at half the resolution, from depth alone: horizons in two directions (Jiménez et al. 2016, GTAO).

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var depth_texture: texture_depth_2d;
@group(0) @binding(2) var occlusion: texture_storage_2d<rgba8unorm, write>;

fn depth_at(pixel: vec2i) -> f32 {
    let size = vec2i(textureDimensions(depth_texture));
    return textureLoad(depth_texture, clamp(pixel, vec2i(0), size - 1), 0);
}

// The place of a pixel in the camera's frame: right, down, forward.
fn place_at(pixel: vec2i) -> vec3f {
    let distance = view.forward.w / max(depth_at(pixel), 1e-9);
    let p = ((vec2f(pixel) + 0.5) * view.size.zw) * 2.0 - 1.0;
    return vec3f(p * vec2f(view.right.w, view.up.w), 1.0) * distance;
}

fn nearer(centre: vec3f, a: vec3f, b: vec3f) -> vec3f {
    let x = a - centre;
    let y = centre - b;
    return select(y, x, abs(x.z) < abs(y.z));
}

@compute @workgroup_size(8, 8)
fn occlude(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(occlusion);
    if id.x >= size.x || id.y >= size.y { return; }
    let pixel = vec2i(id.xy) * 2;
    let depth = depth_at(pixel);
    if depth <= 0.0 {
        textureStore(occlusion, id.xy, vec4f(1.0));
        return;
    }
    let centre = place_at(pixel);
    let to_eye = normalize(-centre);
    let horizontal = nearer(centre, place_at(pixel + vec2i(1, 0)), place_at(pixel - vec2i(1, 0)));
    let vertical = nearer(centre, place_at(pixel + vec2i(0, 1)), place_at(pixel - vec2i(0, 1)));
    var normal = normalize(cross(vertical, horizontal));
    if dot(normal, to_eye) < 0.0 { normal = -normal; }
    // The radius grows with distance, so that it covers the same part of the picture.
    let reach = 0.055 * view.size.y;
    let radius = reach * centre.z * view.up.w * 2.0 * view.size.w;
    let turn = fract(52.9829189 * fract(dot(vec2f(id.xy), vec2f(0.06711056, 0.00583715))));
    var sum = 0.0;
    for (var slice = 0; slice < 2; slice++) {
        let angle = (f32(slice) + turn) * (PI / 2.0);
        let along = vec2f(cos(angle), sin(angle));
        let axis = normalize(cross(vec3f(along, 0.0), to_eye));
        let projected = normal - axis * dot(normal, axis);
        let weight = length(projected);
        let tangent = cross(to_eye, axis);
        let tilt = sign(dot(projected, tangent)) * acos(clamp(dot(projected, to_eye) / max(weight, 1e-4), -1.0, 1.0));
        var horizons = vec2f(-1.0);
        for (var step = 0; step < 4; step++) {
            let away = (f32(step) + 0.35 + 0.65 * fract(turn * 7.0 + f32(step) * 0.618)) / 4.0;
            let offset = along * max(away * away * reach, f32(step) + 1.5);
            for (var side = 0; side < 2; side++) {
                let at = place_at(pixel + vec2i(round(select(-offset, offset, side == 1)))) - centre;
                let distance = length(at);
                let fade = saturate(1.5 - distance / radius);
                let cosine = mix(-1.0, dot(at, to_eye) / max(distance, 1e-5), fade * step_sign(fade));
                horizons[side] = max(horizons[side], cosine);
            }
        }
        let low = tilt + max(-acos(horizons.x) - tilt, -PI / 2.0);
        let high = tilt + min(acos(horizons.y) - tilt, PI / 2.0);
        let arc = (cos(tilt) + 2.0 * low * sin(tilt) - cos(2.0 * low - tilt)) + (cos(tilt) + 2.0 * high * sin(tilt) - cos(2.0 * high - tilt));
        sum += weight * arc * 0.25;
    }
    let open = clamp(sum * 0.5, 0.03, 1.0);
    textureStore(occlusion, id.xy, vec4f(open));
}

fn step_sign(value: f32) -> f32 {
    return select(0.0, 1.0, value > 0.0);
}
