# sett_gdb.py: entities in gdb.
#
#     (gdb) source tools/sett_gdb.py
#     (gdb) print e                        $1 = entity 7:2
#     (gdb) sett world e                   the entity with all of its values (sett_print)
#     (gdb) sett world 7                   the one that lives at this index
#
# Handles are shown as index:generation; `sett` calls the program's own sett_print, so values are
# shown by their members (members.h). It needs a living process, not a core file, and a program that
# has sett_print: of the static library it has it only if it calls it somewhere.

import gdb


class SettEntityPrinter:
    """A sett_entity."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        index = int(self.value["index"])
        generation = int(self.value["generation"])
        return "no entity" if generation == 0 else f"entity {index}:{generation}"


def sett_lookup(value):
    name = value.type.strip_typedefs().name or str(value.type.strip_typedefs())
    return SettEntityPrinter(value) if name in ("sett_entity", "struct sett_entity") else None


class SettCommand(gdb.Command):
    """sett WORLD ENTITY: prints an entity with all of its values, on the program's stderr.
ENTITY is a sett_entity or an index."""

    def __init__(self):
        super().__init__("sett", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) != 2:
            raise gdb.GdbError("usage: sett WORLD ENTITY")
        world, entity = words
        if gdb.parse_and_eval(entity).type.strip_typedefs().code != gdb.TYPE_CODE_STRUCT:
            # cast: a library without debug information has no types
            at = "((sett_entity (*)(const void*, unsigned))sett_entity_at)"
            entity = f"{at}({world}, {entity})"
        gdb.execute(f"call (void)sett_print({world}, {entity})")


gdb.pretty_printers.append(sett_lookup)
SettCommand()
