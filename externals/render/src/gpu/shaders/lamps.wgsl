// Lamps, and the clusters of a view: parts of the picture between two distances (Olsson et al. 2012).

struct Lamp {
    position: vec3f,
    range: f32,
    intensity: vec3f,
    cone: f32,
    direction: vec3f,
    pad: f32,
}

const CLUSTERS = vec3u(16u, 9u, 24u);
const CLUSTER_LAMPS = 31u;
