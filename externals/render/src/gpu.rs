//! The renderer for graphics processors, by wgpu.

mod shaders;
