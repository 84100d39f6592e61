"""Astrarium for Blender: roles of objects, export by one key, and a live link.

Install it as an add-on (Edit, Preferences, Add-ons, Install). The panel is in the sidebar of the 3D view.

A role is a custom property of the object, which the importer reads:

    collision   "hull", "mesh" or "parts"   a collision shape
    marker      True                        a marker (of an empty)
    trigger     True                        in a level: a trigger volume
    tag         "props/crate.object"        in a level: an object; team may be given too

Export writes a .glb beside the .blend file. Where `astrarium import --watch` runs, the tags follow, and so does a game that is
played with these tags.
"""

bl_info = {
    "name": "Astrarium",
    "author": "The Astrarium project",
    "version": (1, 0, 0),
    "blender": (3, 0, 0),
    "location": "3D View > Sidebar > Astrarium",
    "description": "Roles of objects, export by one key, live link",
    "category": "Import-Export",
}

import os
import time

import bpy

ROLES = [
    ("structure", "Structure", "It is drawn, and nothing else"),
    ("hull", "Collision: hull", "A collision shape: the convex hull of the mesh"),
    ("mesh", "Collision: mesh", "A collision shape: the triangles, for what never moves"),
    ("parts", "Collision: parts", "A collision shape: a few hulls that fill the mesh"),
    ("marker", "Marker", "A place and direction at which others attach or begin"),
    ("trigger", "Trigger volume", "In a level: notices objects that enter and leave"),
    ("object", "Object of a tag", "In a level: an object of a tag is placed here"),
]
PROPERTIES = ("collision", "marker", "trigger", "tag", "team")

# The live link exports this long after the last change.
QUIET_SECONDS = 0.4


def role_of(thing):
    """The role of an object, as its properties say."""
    if thing.get("collision") in ("hull", "mesh", "parts"):
        return thing["collision"]
    for name, role in (("marker", "marker"), ("trigger", "trigger"), ("tag", "object")):
        if thing.get(name):
            return role
    return "structure"


def set_role(thing, role, tag="", team=0):
    """Gives an object a role, and takes every other one from it."""
    for name in PROPERTIES:
        if name in thing:
            del thing[name]
    if role in ("hull", "mesh", "parts"):
        thing["collision"] = role
    elif role in ("marker", "trigger"):
        thing[role] = True
    elif role == "object":
        thing["tag"] = tag
        if team:
            thing["team"] = team


def output_of(blend):
    """The file that a .blend file is exported to."""
    return os.path.splitext(blend)[0] + ".glb"


def export(output):
    """Exports the scene. The file is written beside itself and then renamed, so that it is always whole."""
    part = output + ".part.glb"
    wanted = {
        "filepath": part,
        "export_format": "GLB",
        "export_extras": True,
        "export_lights": True,
        "export_apply": True,
        "export_yup": True,
    }
    # The names of arguments differ between releases of Blender: unknown ones are left out.
    known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
    bpy.ops.export_scene.gltf(**{name: value for name, value in wanted.items() if name in known})
    os.replace(part, output)


class AstrariumSetRole(bpy.types.Operator):
    """Gives the selected objects a role"""

    bl_idname = "astrarium.set_role"
    bl_label = "Set Role"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.EnumProperty(name="Role", items=ROLES)
    tag: bpy.props.StringProperty(name="Tag", description="The path of the tag, as in props/crate.object")
    team: bpy.props.IntProperty(name="Team", min=0, max=31)

    def execute(self, context):
        if self.role == "object" and not self.tag:
            self.report({"ERROR"}, "An object needs the path of its tag, as in props/crate.object")
            return {"CANCELLED"}
        for thing in context.selected_objects:
            set_role(thing, self.role, self.tag, self.team)
        return {"FINISHED"}

    def invoke(self, context, _event):
        return context.window_manager.invoke_props_dialog(self)


class AstrariumExport(bpy.types.Operator):
    """Exports the scene as .glb beside the .blend file"""

    bl_idname = "astrarium.export"
    bl_label = "Export to Astrarium"

    def execute(self, _context):
        if not bpy.data.filepath:
            self.report({"ERROR"}, "Save the file under the data folder of the game first")
            return {"CANCELLED"}
        output = output_of(bpy.data.filepath)
        export(output)
        self.report({"INFO"}, "Exported " + output)
        return {"FINISHED"}


class AstrariumPanel(bpy.types.Panel):
    """The panel in the sidebar"""

    bl_idname = "VIEW3D_PT_astrarium"
    bl_label = "Astrarium"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Astrarium"

    def draw(self, context):
        layout = self.layout
        thing = context.active_object
        if thing is not None:
            names = {name: label for name, label, _ in ROLES}
            layout.label(text=thing.name + ": " + names[role_of(thing)])
            if thing.get("tag"):
                layout.label(text=str(thing["tag"]))
        layout.operator_menu_enum("astrarium.set_role", "role", text="Set Role")
        layout.operator("astrarium.export")
        layout.prop(context.scene, "astrarium_live_link")


class LiveLink:
    """When the scene changed last, for the timer of the live link."""

    changed = None


# Persistent: opening a file removes all other handlers.
@bpy.app.handlers.persistent
def note_change(scene, depsgraph):
    if getattr(scene, "astrarium_live_link", False) and depsgraph.updates:
        LiveLink.changed = time.monotonic()


def send_changes():
    changed = LiveLink.changed
    if changed is not None and time.monotonic() - changed >= QUIET_SECONDS and bpy.data.filepath:
        LiveLink.changed = None
        try:
            export(output_of(bpy.data.filepath))
        except RuntimeError as error:
            print("Astrarium: not exported:", error)
    return QUIET_SECONDS / 2


CLASSES = (AstrariumSetRole, AstrariumExport, AstrariumPanel)
KEYS = []


def register():
    for known in CLASSES:
        bpy.utils.register_class(known)
    bpy.types.Scene.astrarium_live_link = bpy.props.BoolProperty(
        name="Live link", description="Export after every change, so that a running game follows"
    )
    bpy.app.handlers.depsgraph_update_post.append(note_change)
    bpy.app.timers.register(send_changes, persistent=True)
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is not None:
        keymap = keys.keymaps.new(name="3D View", space_type="VIEW_3D")
        KEYS.append((keymap, keymap.keymap_items.new("astrarium.export", "E", "PRESS", ctrl=True, shift=True)))


def unregister():
    for keymap, item in KEYS:
        keymap.keymap_items.remove(item)
    KEYS.clear()
    if bpy.app.timers.is_registered(send_changes):
        bpy.app.timers.unregister(send_changes)
    bpy.app.handlers.depsgraph_update_post.remove(note_change)
    del bpy.types.Scene.astrarium_live_link
    for known in reversed(CLASSES):
        bpy.utils.unregister_class(known)


if __name__ == "__main__":
    register()
