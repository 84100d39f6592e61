//! The expensive parts of a scene file, each made once for the same input: meshes with their levels of detail, images,
//! clips, hulls and convex decompositions.

use base::bytes::{ByteReader, ByteWriter, ReadError};
use tags::Names;

use super::mesh::{self, BuiltLod, BuiltSurface, MeshOptions};
use super::vertices::{AttributeLayout, Extent};
use crate::animation::quantise::Range;
use crate::animation::{self, AnimationOptions, CompressedChannel, CompressedClip};
use crate::bitmap;
use crate::collision::soup::{MeshFaults, TriangleSoup};
use crate::collision::{self, Shape, ShapeKind};
use crate::error::ImportError;
use crate::importer::Source;
use crate::options::Options;
use crate::product::{Part, Product, Warning};
use crate::result_cache::{
    KeptResult, ResultCache, WorkKind, kept_or_made, read_bytes, read_list, read_text, read_vector, write_bytes,
    write_list, write_text, write_vector,
};
use crate::scene::surface::{MeshSurface, SceneMesh};
use crate::scene::{Interpolation, SceneClip};

/// Meshes of fewer corners are made faster than they are found.
const CORNERS_MIN: usize = 96;

/// The surfaces of a mesh, from [`mesh::build`].
pub fn surfaces(
    cache: &dyn ResultCache,
    mesh: &SceneMesh,
    has_normal_map: impl Fn(usize) -> bool,
    options: &MeshOptions,
) -> Vec<BuiltSurface> {
    if mesh.surfaces.iter().map(|surface| surface.triangles.len() * 3).sum::<usize>() < CORNERS_MIN {
        return mesh::build(mesh, has_normal_map, options);
    }
    let kind = WorkKind { name: "mesh", version: super::IMPORTER.version };
    let input = |bytes: &mut Vec<u8>| {
        bytes.write_u64(options.lods as u64);
        bytes.write_f32(options.lod_error);
        bytes.write_u8(u8::from(options.has_smooth_normals));
        bytes.write_u8(u8::from(options.has_tangents));
        write_list(bytes, &mesh.surfaces, |bytes, surface| {
            bytes.write_u8(u8::from(surface.material.is_some_and(&has_normal_map)));
            write_surface(bytes, surface);
        });
    };
    let made = || Ok::<_, std::convert::Infallible>(KeptSurfaces(mesh::build(mesh, &has_normal_map, options)));
    match kept_or_made(cache, kind, input, made) {
        Ok(KeptSurfaces(surfaces)) => surfaces,
        Err(never) => match never {},
    }
}

/// The bitmap of an image inside a file, from the importer of bitmaps. The options name everything that the importer
/// would find from the name of a file.
pub fn texture(cache: &dyn ResultCache, source: &Source<'_>, options: &Options) -> Result<Product, ImportError> {
    let kind = WorkKind { name: "texture", version: bitmap::IMPORTER.version };
    let input = |bytes: &mut Vec<u8>| {
        write_text(bytes, &source.extension());
        write_list(bytes, options.given(), |bytes, (name, value)| {
            write_text(bytes, name);
            write_text(bytes, value);
        });
        write_bytes(bytes, source.bytes);
    };
    let made = || {
        let products = (bitmap::IMPORTER.import)(source, options)?;
        products.into_iter().next().map(KeptBitmap).ok_or(ImportError::Empty("pixels"))
    };
    kept_or_made(cache, kind, input, made).map(|KeptBitmap(product)| product)
}

/// A compressed clip, from [`animation::compress`].
pub fn clip(
    cache: &dyn ResultCache,
    clip: &SceneClip,
    options: &AnimationOptions,
) -> Result<CompressedClip, ImportError> {
    let kind = WorkKind { name: "clip", version: super::IMPORTER.version };
    let input = |bytes: &mut Vec<u8>| {
        let AnimationOptions { rate, position_error, rotation_error, scale_error } = *options;
        [rate, position_error, rotation_error, scale_error].iter().for_each(|number| bytes.write_f32(*number));
        write_list(bytes, &clip.curves, |bytes, curve| {
            bytes.write_u64(curve.node as u64);
            bytes.write_u32(curve.target.index());
            bytes.write_u8(match curve.interpolation {
                Interpolation::Step => 0,
                Interpolation::Linear => 1,
                Interpolation::Cubic => 2,
            });
            write_list(bytes, &curve.times, |bytes, time| bytes.write_f32(*time));
            write_list(bytes, &curve.values, |bytes, value| value.iter().for_each(|part| bytes.write_f32(*part)));
        });
    };
    kept_or_made(cache, kind, input, || animation::compress(clip, options))
}

/// A collision shape, from [`collision::shape`]. Meshes are not kept: they are hardly more than their input.
pub fn shape(cache: &dyn ResultCache, soup: TriangleSoup, kind: ShapeKind) -> Result<Shape, ImportError> {
    let parts = match kind {
        ShapeKind::Mesh => return collision::shape(soup, kind),
        ShapeKind::Hull => 0,
        ShapeKind::Parts(parts) => parts as u64,
    };
    let input = |bytes: &mut Vec<u8>| {
        bytes.write_u64(parts);
        write_list(bytes, &soup.points, |bytes, point| write_vector(bytes, *point));
        write_list(bytes, &soup.triangles, |bytes, corners| corners.iter().for_each(|corner| bytes.write_u32(*corner)));
    };
    let work = WorkKind { name: "shape", version: super::IMPORTER.version };
    kept_or_made(cache, work, input, || collision::shape(soup.clone(), kind))
}

fn write_surface(bytes: &mut Vec<u8>, surface: &MeshSurface) {
    bytes.write_u64(surface.material.map_or(u64::MAX, |material| material as u64));
    write_list(bytes, &surface.positions, |bytes, position| write_vector(bytes, *position));
    write_list(bytes, &surface.normals, |bytes, normal| write_vector(bytes, *normal));
    for list in [&surface.tangents, &surface.colours] {
        write_list(bytes, list, |bytes, four| four.to_array().iter().for_each(|part| bytes.write_f32(*part)));
    }
    for uvs in &surface.uvs {
        write_list(bytes, uvs, |bytes, uv| uv.to_array().iter().for_each(|part| bytes.write_f32(*part)));
    }
    write_list(bytes, &surface.joints, |bytes, joints| joints.iter().for_each(|joint| bytes.write_u16(*joint)));
    write_list(bytes, &surface.weights, |bytes, weights| weights.iter().for_each(|weight| bytes.write_f32(*weight)));
    write_list(bytes, &surface.triangles, |bytes, corners| corners.iter().for_each(|corner| bytes.write_u32(*corner)));
}

/// A variant by its number. A number above all means that the bytes are not a result.
fn read_variant<E: Names>(reader: &mut ByteReader<'_>) -> Result<E, ReadError> {
    let count = E::ALL.len();
    Ok(E::ALL[reader.read_count(count.saturating_sub(1), 0)?])
}

struct KeptSurfaces(Vec<BuiltSurface>);

impl KeptResult for KeptSurfaces {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_list(bytes, &self.0, |bytes, surface| {
            bytes.write_u64(surface.material.map_or(u64::MAX, |material| material as u64));
            write_vector(bytes, surface.extent.min);
            write_vector(bytes, surface.extent.max);
            bytes.write_f32(surface.radius);
            bytes.write_u64(surface.stride as u64);
            write_list(bytes, &surface.attributes, |bytes, attribute| {
                bytes.write_varint(attribute.meaning.index().into());
                bytes.write_varint(attribute.format.index().into());
                bytes.write_u64(attribute.offset as u64);
                write_vector(bytes, attribute.min);
                write_vector(bytes, attribute.size);
            });
            write_list(bytes, &surface.lods, |bytes, lod| {
                write_bytes(bytes, &lod.vertices);
                write_bytes(bytes, &lod.indices);
                bytes.write_u64(lod.vertex_count as u64);
                bytes.write_u64(lod.triangle_count as u64);
                [lod.error, lod.miss_ratios.0, lod.miss_ratios.1].iter().for_each(|number| bytes.write_f32(*number));
            });
        });
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<KeptSurfaces, ReadError> {
        let surfaces = read_list(reader, 46, |reader| {
            let material = Some(reader.read_u64()?).filter(|material| *material != u64::MAX);
            Ok(BuiltSurface {
                material: material.map(|material| material as usize),
                extent: Extent { min: read_vector(reader)?, max: read_vector(reader)? },
                radius: reader.read_f32()?,
                stride: reader.read_u64()? as usize,
                attributes: read_list(reader, 34, |reader| {
                    Ok(AttributeLayout {
                        meaning: read_variant(reader)?,
                        format: read_variant(reader)?,
                        offset: reader.read_u64()? as usize,
                        min: read_vector(reader)?,
                        size: read_vector(reader)?,
                    })
                })?,
                lods: read_list(reader, 30, |reader| {
                    Ok(BuiltLod {
                        vertices: read_bytes(reader)?,
                        indices: read_bytes(reader)?,
                        vertex_count: reader.read_u64()? as usize,
                        triangle_count: reader.read_u64()? as usize,
                        error: reader.read_f32()?,
                        miss_ratios: (reader.read_f32()?, reader.read_f32()?),
                    })
                })?,
            })
        })?;
        Ok(KeptSurfaces(surfaces))
    }
}

struct KeptBitmap(Product);

impl KeptResult for KeptBitmap {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_list(bytes, &self.0.fields, |bytes, (name, value)| {
            write_text(bytes, name);
            write_text(bytes, value);
        });
        write_list(bytes, &self.0.parts, |bytes, part| {
            write_text(bytes, &part.name);
            write_bytes(bytes, &part.bytes);
        });
        write_list(bytes, &self.0.warnings, |bytes, warning| write_text(bytes, &warning.message));
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<KeptBitmap, ReadError> {
        Ok(KeptBitmap(Product {
            class: "bitmap",
            bulk_field: "data",
            fields: read_list(reader, 2, |reader| Ok((read_text(reader)?, read_text(reader)?)))?,
            parts: read_list(reader, 2, |reader| Ok(Part { name: read_text(reader)?, bytes: read_bytes(reader)? }))?,
            warnings: read_list(reader, 1, |reader| Ok(Warning { message: read_text(reader)? }))?,
            ..Product::default()
        }))
    }
}

impl KeptResult for CompressedClip {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.write_f32(self.duration);
        bytes.write_f32(self.rate);
        write_list(bytes, &self.channels, |bytes, channel| {
            bytes.write_u64(channel.node as u64);
            bytes.write_varint(channel.target.index().into());
            bytes.write_u8(u8::from(channel.is_stepped));
            bytes.write_u64(channel.offset as u64);
            bytes.write_u64(channel.keys as u64);
            write_vector(bytes, channel.range.min);
            write_vector(bytes, channel.range.size);
        });
        write_bytes(bytes, &self.bytes);
        self.errors.iter().for_each(|error| bytes.write_f32(*error));
        bytes.write_u64(self.source_bytes as u64);
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<CompressedClip, ReadError> {
        Ok(CompressedClip {
            duration: reader.read_f32()?,
            rate: reader.read_f32()?,
            channels: read_list(reader, 50, |reader| {
                let node = reader.read_u64()? as usize;
                let target = read_variant(reader)?;
                Ok(CompressedChannel {
                    node,
                    target,
                    is_stepped: reader.read_u8()? != 0,
                    offset: reader.read_u64()? as usize,
                    keys: reader.read_u64()? as usize,
                    range: Range { target, min: read_vector(reader)?, size: read_vector(reader)? },
                })
            })?,
            bytes: read_bytes(reader)?,
            errors: [reader.read_f32()?, reader.read_f32()?, reader.read_f32()?],
            source_bytes: reader.read_u64()? as usize,
        })
    }
}

impl KeptResult for Shape {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_list(bytes, &self.fields, |bytes, (name, value)| {
            write_text(bytes, name);
            write_text(bytes, value);
        });
        let MeshFaults { dropped, open_edges, torn_edges, is_inside_out } = self.faults;
        for count in [dropped, open_edges, torn_edges, usize::from(is_inside_out), self.points, self.triangles] {
            bytes.write_u64(count as u64);
        }
        write_list(bytes, &self.hulls, |bytes, hull| {
            write_list(bytes, hull, |bytes, point| write_vector(bytes, *point));
        });
        bytes.write_f32(self.left_out);
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<Shape, ReadError> {
        let fields = read_list(reader, 2, |reader| Ok((read_text(reader)?, read_text(reader)?)))?;
        let mut count = || reader.read_u64().map(|count| count as usize);
        let faults =
            MeshFaults { dropped: count()?, open_edges: count()?, torn_edges: count()?, is_inside_out: count()? != 0 };
        let (points, triangles) = (count()?, count()?);
        let hulls = read_list(reader, 1, |reader| read_list(reader, 12, read_vector))?;
        Ok(Shape { fields, faults, points, triangles, hulls, left_out: reader.read_f32()? })
    }
}
