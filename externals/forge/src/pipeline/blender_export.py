# Exports Blender files as binary glTF, one after the other, in one Blender.
#
# blender --background --factory-startup --python-expr THIS -- JOBS RESULTS
#
# JOBS has a line "source<TAB>output" for each file. For each finished file a line "ok<TAB>source" or
# "failed<TAB>source<TAB>reason" is appended to RESULTS. An output is written beside itself and then renamed, so that it is whole.
import os
import sys

import bpy


def export(source, output):
    bpy.ops.wm.open_mainfile(filepath=source, load_ui=False)
    part = output + ".part.glb"
    wanted = {
        "filepath": part,
        "export_format": "GLB",
        "export_extras": True,
        "export_lights": True,
        "export_apply": True,
        "export_tangents": False,
        "export_yup": True,
    }
    # The names of arguments differ between releases of Blender: unknown ones are left out.
    known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
    bpy.ops.export_scene.gltf(**{name: value for name, value in wanted.items() if name in known})
    os.replace(part, output)


def main():
    jobs, results = sys.argv[sys.argv.index("--") + 1 :][:2]
    with open(jobs, encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t") for line in lines if line.strip()]
    for source, output in pairs:
        try:
            export(source, output)
            said = "ok\t" + source
        except Exception as error:  # one bad file must not end the others
            lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
            said = "failed\t" + source + "\t" + " ".join((lines or ["no reason given"])[-1].split())[:500]
        with open(results, "a", encoding="utf-8") as out:
            out.write(said + "\n")


main()
