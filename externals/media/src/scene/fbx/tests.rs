//! FBX as text, whole and damaged.

use base::{Pcg, Random};

use super::super::{Property, Scene};
use crate::error::ImportError;
use crate::importer::Source;

const SAMPLE: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
	Creator: "test"
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
	}
}
Objects:  {
	Geometry: 100, "Geometry::hull", "Mesh" {
		Vertices: *12 {
			a: 0,0,0,100,0,0,100,100,0,0,100,0
		}
		PolygonVertexIndex: *4 {
			a: 0,1,2,-4
		}
	}
	Model: 200, "Model::hull", "Mesh" {
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,200,0
			P: "collision", "KString", "", "U", "hull"
		}
	}
	Material: 300, "Material::Paint", "" {
		Properties70:  {
			P: "DiffuseColor", "Color", "", "A",1,0.5,0
		}
	}
}
Connections:  {
	C: "OO",200,0
	C: "OO",100,200
	C: "OO",300,200
}
"#;

fn read(bytes: &[u8]) -> Result<Scene, ImportError> {
    super::read(&Source::new("a.fbx", "", bytes, &|_| Err("none".into())))
}

#[test]
fn a_polygon_is_read_in_metres_with_its_material_and_properties() {
    let scene = read(SAMPLE.as_bytes()).unwrap();
    assert_eq!((scene.nodes.len(), scene.meshes.len(), scene.materials.len()), (1, 1, 1));
    let node = &scene.nodes[0];
    assert_eq!(
        (node.name.as_str(), node.properties.as_slice()),
        ("hull", &[("collision".into(), Property::Text("hull".into()))][..])
    );
    let surface = &scene.meshes[0].surfaces[0];
    assert_eq!((surface.triangles.len(), surface.positions.len(), surface.material), (2, 4, Some(0)));
    let places = scene.places();
    let far = surface.positions.iter().map(|point| places[0].point(*point)).fold(base::Vec3::ZERO, base::Vec3::max);
    assert!(far.distance(base::Vec3::new(1.0, 3.0, 0.0)) < 1e-5, "{far:?}");
    assert_eq!(scene.materials[0].name, "Paint");
    assert!((scene.materials[0].base_colour.y - 0.5).abs() < 1e-3);
}

#[test]
fn any_damaged_file_gives_a_scene_or_an_error() {
    let mut random = Pcg::new(9, 9);
    let (mut good, mut bad) = (0, 0);
    for case in 0..400 {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        if case % 2 == 0 {
            bytes.truncate(random.below(bytes.len() as u32) as usize);
        } else {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        match read(&bytes) {
            Ok(_) => good += 1,
            Err(_) => bad += 1,
        }
    }
    assert!(good > 50 && bad > 50, "{good} {bad}: both happen");
    assert!(matches!(read(b""), Err(ImportError::Damaged(_))));
    assert!(matches!(read(b"Kaydara FBX Binary  \0\x1a\0"), Err(ImportError::Damaged(_))));
}
