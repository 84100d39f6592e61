"""Builds a small level with the add-on and exports it. Arguments: the add-on's folder, the .blend file, and `again` for a change."""

import os
import sys

import bpy

arguments = sys.argv[sys.argv.index("--") + 1 :]
sys.path.insert(0, arguments[0])
import astrarium  # noqa: E402

astrarium.register()
is_again = len(arguments) > 2
bpy.ops.wm.read_factory_settings(use_empty=True)


def cube(name, location, size=1.0):
    bpy.ops.mesh.primitive_cube_add(size=size, location=location)
    thing = bpy.context.active_object
    thing.name = name
    return thing


ground = cube("ground", (0, 0, -1), 2.0)
ground.scale = (20, 20, 0.5)
astrarium.set_role(cube("ground_shape", (0, 0, -1), 2.0), "mesh")
for number in range(3 if is_again else 2):
    crate = cube("crate.%d" % number, (number * 3.0, 0, 1))
    bpy.ops.object.select_all(action="DESELECT")
    crate.select_set(True)
    assert bpy.ops.astrarium.set_role(role="object", tag="props/crate.object", team=1) == {"FINISHED"}
    assert astrarium.role_of(crate) == "object"
astrarium.set_role(cube("gate", (5, 5, 1), 4.0), "trigger")
bpy.ops.object.empty_add(location=(1, 2, 3))
bpy.context.active_object.name = "start"
astrarium.set_role(bpy.context.active_object, "marker")
astrarium.set_role(ground, "hull")
assert astrarium.role_of(ground) == "hull"
astrarium.set_role(ground, "structure")
assert astrarium.role_of(ground) == "structure" and "collision" not in ground

bpy.ops.wm.save_as_mainfile(filepath=arguments[1])
assert bpy.ops.astrarium.export() == {"FINISHED"}
output = astrarium.output_of(arguments[1])
assert os.path.getsize(output) > 1000 and not os.path.exists(output + ".part.glb")

# The live link exports when the scene has been quiet for a moment.
os.remove(output)
bpy.context.scene.astrarium_live_link = True
astrarium.note_change(bpy.context.scene, type("Graph", (), {"updates": [1]})())
astrarium.LiveLink.changed -= 1.0
astrarium.send_changes()
assert os.path.exists(output) and astrarium.LiveLink.changed is None
astrarium.unregister()
print("the add-on works")
