// Functions of the view, which the module declares: rays and fog.

// The direction through a pixel, not normalised: its component along the camera's axis is 1.
fn ray_of(pixel: vec2f) -> vec3f {
    let place = (pixel * view.size.zw) * 2.0 - 1.0;
    return view.forward.xyz + view.right.xyz * (place.x * view.right.w) - view.up.xyz * (place.y * view.up.w);
}

// What light of a thing at this place passes the fog.
fn clearness(place: vec3f) -> f32 {
    let density = view.fog.w;
    if density <= 0.0 { return 1.0; }
    let length = length(place);
    // The integral of exp(-height · falloff) along the ray.
    let falloff = view.level_up.w;
    let start = dot(view.eye.xyz, view.level_up.xyz) * falloff;
    let rise = dot(place, view.level_up.xyz) * falloff;
    var along = 1.0;
    if abs(rise) > 0.001 { along = (1.0 - exp(-clamp(rise, -40.0, 40.0))) / rise; }
    return exp(-density * length * along * exp(-clamp(start, -10.0, 40.0)));
}

// The colour of the fog in a direction: it glows around the sun.
fn fog_colour(direction: vec3f) -> vec3f {
    let toward = max(dot(direction, view.sun.xyz), 0.0);
    return view.fog.rgb + view.sun_colour.rgb * (0.04 * pow(toward, 8.0) * saturate(luminance(view.fog.rgb) * 4.0));
}
