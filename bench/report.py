#!/usr/bin/env python3
"""Writes the report: a page in Markdown and plots in SVG, from what tools/bench.sh --full left.

    report.py [--whole] <folder with what it wrote> <folder for the report>

What is missing there is left out of the report; with --whole that is an error. Nothing but the
standard library is used. Every figure on the page comes from the data, those within sentences too;
texts without figures are here, goals beside other libraries in goals.txt, reasons for missed goals
there and in misses.txt. Numbers are medians over the repetitions; the shade around a line reaches
from the first to the third quartile.
"""
import os
import re
import sys
import xml.dom.minidom
import xml.parsers.expat

import measured
import plot
import report_sources

COLUMNS = [  # name, in tables, in plots, colour, dashed
    ("raw", "raw", "raw arrays", 5, False),
    ("pico", "pico", "pico_ecs", 3, False),
    ("entt", "EnTT", "EnTT, views", 1, False),
    ("entt_group", "group", "EnTT, group", 1, True),
    ("flecs", "flecs", "flecs", 2, False),
    ("sett", "**Sett**", "Sett, untuned", 0, False),
    ("sett_auto", "**auto**", "Sett, auto_layout", 0, True),
    ("sett_tuned", "**tuned**", "Sett, tuned", 0, True),
]
PEERS = {"pico": "pico_ecs", "entt": "EnTT", "entt_group": "EnTT's group", "flecs": "flecs"}

number = report_sources.number
table = report_sources.table


# ---- The table -----------------------------------------------------------------------------------


def best_peer(data, row):
    """(ns, name) of the fastest other library."""
    found = [(data.median(f"{row}/{peer}"), peer) for peer in PEERS]
    found = [item for item in found if item[0] is not None]
    return min(found) if found else (None, None)


def ratio(value, to):
    return f"{value / to:.2f}" if value is not None and to else "–"


def goal_cell(value, goal):
    return f"{goal:g}" + (" **!**" if value is not None and goal and value > goal else "")


def table_section(data):
    lines = []
    for row, (title, _, goal, tuned_goal) in data.rows.items():
        values = [data.median(f"{row}/{column[0]}") for column in COLUMNS]
        sett, tuned = values[-3], values[-1]
        if sett is None:
            continue
        peer, _ = best_peer(data, row)
        spread = max(data.spread(f"{row}/{key}") for key in ("sett", "sett_tuned"))
        lines.append([title] + [number(value) if value else "–" for value in values] + [
            ratio(sett, values[0]), ratio(tuned, values[0]), ratio(sett, peer), ratio(tuned, peer),
            f"{spread * 100:.1f} %", goal_cell(sett, goal), goal_cell(tuned, tuned_goal)])
    if not lines:
        return []
    missing = [PEERS[key] for key, built in data.columns.items() if key in PEERS and not built]
    note = [f"Not installed when this was measured, and so left out: {', '.join(missing)}.", ""]
    repetitions = max(len(values) for values in data.samples.values())
    return [
        "## The table", "",
        f"Nanoseconds an operation, medians of {repetitions} runs in random order. An "
        "operation is one entity, one pair of add and remove, or one match, as the row says. "
        "Everything in a row did the same work: the program stops if checksums differ.", "",
        "- *raw*: hand-written parallel arrays, without handles, to which nothing could be added: "
        "the floor.",
        "- *pico*: pico_ecs, which keeps no generations and checks nothing, compiled into the "
        "program's own file. *EnTT*: templates, with views; *group*: its owning group. *flecs*: "
        "cached queries, whole tables at a time.",
        "- *Sett*: every type in its default storage. *auto*: the same in a world with `sett_layout_auto`, "
        "once it has found its layout; what it samples is inside the clock. *tuned*: the storage, group, bulk call, "
        "accessor or huge pages that suit the row.",
        "- *to raw*, *to peer*: Sett and tuned, divided by the floor and by the fastest of the "
        "others. *spread*: half the distance between the quartiles, of the wider of Sett's two.",
        "- *goal*: what this project wants of itself, untuned and tuned; **!** marks what is "
        "missed.", "",
        *(note if missing else []),
        *table(["ns"] + [column[1] for column in COLUMNS] +
               ["to raw", "tuned to raw", "to peer", "tuned to peer", "spread", "goal", "tuned goal"],
               lines), ""]


def wide_section(data):
    """The rows of wide.h: a public benchmark's, and those with much of one thing."""
    columns = ("entt", "flecs", "sett", "auto", "tuned")
    lines = []
    for title, found in data.wide.values():
        cells = [f"{number(found[key][0])} / {number(found[key][2])}" if key in found else "–"
                 for key in columns]
        for key in columns[2:]:
            least, middle = ([found[key][at] / min(found[peer][at] for peer in columns[:2]
                                                   if peer in found) for at in (0, 2)]
                             if key in found and len(found.keys() & columns[:2]) else (0, 0))
            apart = middle and not 1 / 1.15 < least / middle < 1.15
            cells.append((f"{middle:.2f}" if middle else "–") + (f" ({least:.2f})" if apart else ""))
        spread = max((found[key][3] - found[key][1]) / 2 / found[key][2]
                     for key in found.keys() & columns[2:])
        lines.append([title, *cells, f"{spread * 100:.1f} %"])
    return [
        "## A public benchmark, and much of one thing", "",
        "The scenes of [ecs_benchmark](https://github.com/abeimler/ecs_benchmark), written anew (seven "
        "systems, loops over 3, absent components), then rare types, 1,000 types, 20 terms, cascades, "
        "systems, observers, links, prefabs, names, JSON and worlds. Columns take turns in one "
        "process, nine times each; the program stops if checksums differ. Minimum / median, in ns an "
        "operation, or bytes where the row says so. EnTT's storages are held by reference here, and "
        "check no handle; its systems are a list of functions.", "",
        "- *to peer*: Sett's median by that of the faster peer; in brackets the same of the minima, "
        "where it differs by more than 15 %. *tuned* is a sparse set for rare types. *spread*: half "
        "the distance between the quartiles, of the widest of Sett's.", "",
        *table(["", "EnTT", "flecs", "**Sett**", "**auto**", "**tuned**", "to peer", "auto to peer",
                "tuned to peer", "spread"], lines), ""] if lines else []


def medians(data, row):
    """(title, ns by column) of a row of scene.h or wide.h; the columns are named as in wide.h."""
    if row in data.wide:
        title, found = data.wide[row]
        return title, {column: values[2] for column, values in found.items()}
    values = {key: data.median(f"{row}/{key}") for key, *_ in COLUMNS}
    return data.rows[row][0], {key.removeprefix("sett_"): value
                               for key, value in values.items() if value is not None}


def beside_section(data, goals, reasons):
    """Each goal of goals.txt: ratios to the fastest peer, and why one is missed."""
    lines, missed, count = [], 0, 0
    for row, (wanted, peer, why) in goals.items():
        if row not in {*data.rows, *data.wide}:
            continue
        title, ns = medians(data, row)
        peers = [ns[key] for key in PEERS if key in ns and peer in ("", key)]
        if not peers or "sett" not in ns:
            continue
        cells, lost = [], False
        for column, goal in zip(("sett", "auto", "tuned"), wanted):
            absolute = goal.endswith("ns")
            if column not in ns or goal == "-" and column != "sett":
                cells.append("–")
                continue
            value = ns[column] / (1 if absolute else min(peers))
            misses_it = goal != "-" and round(value, 2) > float(goal.removesuffix("ns"))
            lost |= misses_it
            cells.append(f"{value:.2f}{' ns' if absolute else ''} of {goal.removesuffix('ns')}" +
                         (" **!**" if misses_it else ""))
        if lost:
            missed += 1
            why = why or " ".join(reasons[key] for key in (row, f"{row}.sett") if key in reasons)
        lines.append([title + (f", beside {PEERS[peer]}" if peer else ""), *cells,
                      (why or "Not looked into yet.") if lost else ""])
        count += 1
    return [
        "## Goals beside the others", "",
        f"{count - missed} of {count} rows meet their goals. A goal is a ratio to the fastest other "
        "library of the row (or the one that is named), set on another machine; *0.51 of 0.7* means "
        "that Sett takes 0.51 of the peer's time and the goal is 0.7. **!** marks what is missed. The "
        "times are in the tables.", "",
        *table(["row", "Sett", "auto", "tuned", "why it is missed"], lines), ""] if lines else []


def misses(data):
    """(row, title, which, ns, goal) of all that miss their goals."""
    for row, (title, _, *goals) in data.rows.items():
        for column, goal in zip(("sett", "sett_tuned"), goals):
            value = data.median(f"{row}/{column}")
            if value is not None and goal and value > goal:
                yield row, title, column, value, goal


def misses_section(data, reasons):
    rows = {}
    for row, title, column, value, goal in misses(data):
        rows.setdefault(row, (title, {}))[1][column] = f"{number(value)} / {goal:g}"
    if not rows:
        return []
    lines = []
    for row, (title, cells) in rows.items():
        both = [reasons.get(row)]
        both += [reasons.get(f"{row}.{column}") for column in cells]
        why = " ".join(reason for reason in both if reason) or "Not looked into yet."
        lines.append([title, cells.get("sett", "kept"), cells.get("sett_tuned", "kept"), why])
    measured_rows = sum(data.median(f"{row}/sett") is not None for row in data.rows)
    return [
        "## What misses its goal, and why", "",
        f"{len(rows)} of {measured_rows} rows miss a goal in one of Sett's columns. The goals were "
        "set before there was a library, from a small prototype that kept less. Instructions are "
        "those of `tools/instructions.sh`, gcc -O2.", "",
        *table(["row", "ns / goal", "tuned / goal", "why"], lines), ""]


# ---- In short ------------------------------------------------------------------------------------


def short_section(data):
    floors, wins, all_rows, lost = [], 0, 0, []
    for row, (title, *_) in data.rows.items():
        best = data.median(f"{row}/sett_tuned")
        plain = data.median(f"{row}/sett")
        if best is None or plain is None:
            continue
        best = min(best, plain)
        raw = data.median(f"{row}/raw")
        peer, who = best_peer(data, row)
        if raw and row.startswith(("move_", "iterate", "types", "mixed")) and row != "move_16":
            floors.append(best / raw)
        if peer:
            all_rows += 1
            wins += best <= peer
            if best > 1.05 * peer:
                lost.append((best / peer, title, who, peer, best, plain))
    if not all_rows:
        return []
    out = ["## In short", ""]
    if floors:
        out.append(f"- **Loops** over what matches cost {min(floors):.2f} to {max(floors):.2f} times "
                   "what hand-written arrays cost, in the storage that suits them.")
    out.append(f"- **Beside other libraries** Sett, tuned, is the fastest or level (within 5 %) in "
               f"{all_rows - len(lost)} of {all_rows} rows, and ahead in {wins}.")
    for titles, text in (
            ("create_2", "**Creating** an entity with two components takes {0} ns untuned, {1} in "
                         "the way that suits it"),
            ("get_random", "**Reading by handle** two components of a random one of a million "
                           "entities takes {0} ns, {1} with an accessor that is held")):
        values = [data.median(f"{titles}/{column}") for column in ("sett", "sett_tuned")]
        if None not in values:
            out.append("- " + text.format(*[number(value) for value in values]) + ".")
    out.append("")
    if lost:
        lost.sort(reverse=True)
        out += ["### When another library is faster", "",
                "Everything in the table in which one is by more than 5 %, whatever Sett is tuned "
                "to. pico_ecs does less: it has no generations, so that a stale handle is not "
                "noticed.", "",
                *table(["row", "fastest", "ns", "Sett at best", "times"],
                       [[title, PEERS[who], number(peer), number(best), f"{times:.2f}"]
                        for times, title, who, peer, best, _ in lost]), ""]
    return out


CHOICE = """## What to choose when

| what a type is like | storage |
|---|---|
| most entities have it, or it is joined with others, or it comes and goes | the default: an array |
| fewer than about one entity in twenty has it, and it is read with one or two others | sparse-set |
| a few types are visited together, in the hottest loop of all | sparse-set, and owned by one group |
| many independent yes-or-no flags that are toggled often | tags, `dont_fragment` |
| values must keep an order while some are removed | sparse-set, with `keep_order` |
| many entities of one kind at once | `sett_entity_create_many` |
| a world of tens of megabytes | `huge_pages` in its descriptor |
| many reads by handle, in no order | an accessor held outside of the loop |
| a program that runs already | let it find its layout (`sett_layout_auto`), or profile it and ask `sett_advise` |

And when something else: where a C++ program spends its time on reading components by handle, in random
order, a storage of EnTT that is held by reference touches one cache line less an entity. Where no handle
is kept beyond its entity's life, pico_ecs creates and destroys with less work, because it keeps less. What
each of them gains stands above, if they were measured.
"""


# ---- Against the number of entities --------------------------------------------------------------

SIZES = [  # row, title; whether it has to be flat
    ("create_none", "Create an entity", False),
    ("create_2", "Create an entity with 2 components", True),
    ("iterate_1", "Visit 1 component", True),
    ("move_1m", "P += V dt", True),
    ("toggle_10k", "Add and remove a component", True),
    ("destroy_order", "Destroy an entity with 2 components", False),
]
FLAT = 1.5


def size_section(data, reasons, folder):
    out = []
    flat = {}
    for row, title, _ in SIZES:
        lines = []
        for column, _, name, colour, dashed in COLUMNS:
            points = data.sizes(row, column)
            if len(points) > 1:
                lines.append((points, name, colour, dashed))
                kept = [point[2] for point in points if point[0] >= 1000]
                if len(kept) > 1:
                    flat.setdefault(row, {})[column] = max(kept) / min(kept)
        if lines and plot.draw(os.path.join(folder, f"size_{row}.svg"), title, "entities",
                               "ns an entity", lines):
            out += [f"![{title}](size_{row}.svg)", ""]
    if not out:
        return []
    return ["## Cost against the number of entities", "",
            "Does an operation cost the same in a world of a thousand and of ten million entities? "
            "Below a thousand the fixed cost of a call or a loop is what shows. EnTT's own handles "
            "end at a million entities.", "", *out, *flat_tables(data, flat, reasons)]


def flat_tables(data, flat, reasons):
    """The dearest size beside the cheapest, and what explains it."""
    columns = [column for column in COLUMNS if any(column[0] in ratios for ratios in flat.values())]
    lines = []
    explained = []
    for row, title, wanted in SIZES:
        ratios = flat.get(row, {})
        if not ratios:
            continue
        lines.append([title] + [f"{ratios[key]:.2f}" if key in ratios else "–"
                                for key, *_ in columns])
        if wanted and ratios.get("sett", 0) > FLAT:
            why = reasons.get(f"flat.{row}", "Not looked into yet.")
            explained.append(f"- **{title}**: {ratios['sett']:.2f} times. {why}")
    points = [point for row, *_ in SIZES for point in data.sizes(row, "sett")]
    most = max(point[0] for point in points)
    wanted = [flat[row]["sett"] for row, _, wants in SIZES if wants and "sett" in flat.get(row, {})]
    kept = sum(value <= FLAT for value in wanted)
    out = [f"The dearest size as a multiple of the cheapest, from 1,000 to {most:,} entities:", "",
           *table([""] + [column[1] for column in columns], lines), "",
           f"The goal is {FLAT} for creating, visiting, adding and removing: kept in {kept} of "
           f"{len(wanted)}."]
    return out + (["", *explained, ""] if explained else [""]) + floor_table(data)


def floor_table(data):
    """Loops beside raw arrays: what the machine itself does to them as they grow."""
    lines = []
    for row, title in (("iterate_1", "Visit 1 component"), ("move_1m", "P += V dt")):
        raw = {point[0]: point[2] for point in data.sizes(row, "raw")}
        sett = {point[0]: point[2] for point in data.sizes(row, "sett")}
        for count in sorted(raw):
            if count >= 1000 and count in sett:
                lines.append([title, f"{count:,}", number(raw[count]), number(sett[count]),
                              f"{sett[count] / raw[count]:.2f}"])
    return ["Loops against the floor at each size:", "",
            *table(["", "entities", "raw", "Sett", "ratio"], lines), ""] if lines else []


# ---- Density -------------------------------------------------------------------------------------

PLANS = {  # colour of a layout
    "array": 0, "tracked": 6, "V sparse-set": 1, "two sparse-set": 4, "all sparse-set": 3,
    "group beside V": 2, "group": 5,
}


def plan_section(data, folder):
    rows = measured.read_rows(data.source, "plans.csv")
    if not rows:
        return []
    out = [
        "## Cost against density: every plan of a query", "",
        "A query over 1 to 5 components. All entities (100,000) have the first ones; the last one, "
        "V, is on the share that the axis shows, at random, added in the order of indices or "
        "shuffled. A line is one way to store the types and one way to walk them: *array*, all in "
        "arrays, occupancy words intersected; *tracked*, the same under a tracked set of the "
        "query; *V sparse-set*, the others in arrays; *two sparse-set*, V and another, each on its own "
        "share; *all sparse-set*; *group beside V*, a group owns all but V; *group*, it owns all. Where "
        "a layout allows two plans both are drawn, and the planner has to choose. Its choice is a "
        "function of counts and order alone; over all these points:", "",
        "> " + measured.read_text(data.source, "plans.txt"), ""]
    for components in sorted({row["components"] for row in rows}):
        for order in ("ordered", "shuffled"):
            title = f"{components} component{'s' if components != '1' else ''}, V {order}"
            name = f"plans_{components}_{order}.svg"
            lines = plan_lines([row for row in rows
                                if row["components"] == components and row["order"] == order])
            if plot.draw(os.path.join(folder, name), title, "share of entities that have V",
                         "ns a match", lines, plot.percent):
                out.append(f"![{title}]({name})")
    return out + [""]


def plan_lines(rows):
    series = {}
    for row in rows:
        ns = float(row["ns"])
        series.setdefault((row["layout"], row["plan"]), []).append((float(row["share"]), ns, ns, ns))
    layouts = [layout for layout, _ in series]
    both = {layout for layout in layouts if layouts.count(layout) > 1}
    return [(sorted(points), f"{layout}: {plan.split()[-1]}" if layout in both else layout,
             PLANS.get(layout, 7), layout in both and plan != "sparse-set drives")
            for (layout, plan), points in series.items()]


def layout_section(data):
    text = measured.read_text(data.source, "layouts.txt")
    if not text:
        return []
    return [
        "## Worlds that find their layout", "",
        "[On a page of its own](layouts.md): every layout of each loop's types, what `sett_layout_auto` and "
        "`sett_advise` find, after how many frames, and what these frames cost.", ""]


# ---- Sweeps --------------------------------------------------------------------------------------

SWEEPS = [  # sweep, file, title, x, y, label of x, text
    ("size", "size", "Cost against the size of a component", "bytes of a component",
     "ns an operation", plot.short,
     "100,000 entities. The loop touches the first four bytes of each value, so beyond 64 bytes each "
     "value costs a cache line of its own."),
    ("types", "types", "Cost against the number of component types", "types registered",
     "ns an operation", plot.short,
     "100,000 entities with four types each; nothing depends on how many types there are beside."),
    ("sets", "sets", "Cost against the number of different sets of components", "different sets",
     "ns an operation", plot.short,
     "64 types, of which each entity has one that is looped over, and three others. There are no "
     "archetypes: a loop does not see how many different sets its entities have. A change of "
     "structure finds its way between sets in a table, which is what rises."),
    ("few", "few", "A type that comes and goes on few entities", "entities in the world",
     "ns an operation", plot.short,
     "A type of 16 bytes is added to and removed from the same few entities in turn, or from one that "
     "is drawn each time; then a loop over the one entity that has it, the last. Occupancy is found "
     "over summaries, so that the size of the world shows in cache misses only."),
    ("fragmentation", "fragmentation", "Cost after destroying at random", "share of entities left",
     "ns an entity left", plot.percent,
     "100,000 entities with positions and velocities, of which all but a share were destroyed at "
     "random, then P += V dt. An array keeps the gaps, sparse-set types close them, a group closes them "
     "and keeps both types alike."),
    ("fragmentation memory", "fragmentation_memory", "Memory after destroying at random",
     "share of entities left", "bytes an entity left", plot.percent,
     "The same worlds: all pages, those of entities included."),
    ("replaced", "replaced", "Cost after replacing at random", "entities replaced, of those alive",
     "ns a match", plot.percent,
     "100,000 entities with positions, a drawn half of them with velocities. As many as the axis "
     "says were destroyed at random, each followed by a new one; then P += V dt. New entities take "
     "the free places, so an array stays as it was; two sparse-set types drift apart in their order, "
     "which a group prevents."),
    ("memory 1000000 x 16", "memory", "Memory against utilisation",
     "share of entities that have the type", "bytes", plot.percent,
     "One type of 16 bytes in a world of a million entities. *linear*, *sparse set*: what the "
     "formulas of the textbook layouts give, C N + N bytes or N / 8 for the flags, and "
     "2 x 4 N + C N share. *array* and *sparse-set* are measured in Sett's pages, entities spread at "
     "random; *clustered*, the first ones have it. *dictionary*: measured, an open table at most "
     "half full."),
]


def sweep_section(data, folder):
    out = []
    for sweep, file, title, x_title, y_title, x_label, text in SWEEPS:
        series = {key: points for key, points in data.sweeps.get(sweep, {}).items()
                  if not key.endswith("measured") or key.startswith("dictionary")}
        lines = []
        bases = []
        for key, points in series.items():
            base = key.replace(" (sparse-set)", "").replace(" clustered", "")
            if base not in bases:
                bases.append(base)
            lines.append((points, key.replace(" measured", ""), bases.index(base), key != base))
        if lines and plot.draw(os.path.join(folder, f"{file}_sweep.svg"), title, x_title, y_title,
                               lines, x_label):
            out += [f"## {title}", "", text, "", f"![{title}]({file}_sweep.svg)", ""]
    return out


def thread_section(data, folder):
    cases = data.cases.get("frames", [])
    series = {}
    for case in cases:
        points = data.samples.get(case["benchmark"])
        name = case["name"].rsplit(",", 1)[0]
        if points:
            series.setdefault(name, []).append((case["variant"], *measured.quartiles(points)))
    lines = [(sorted(points), name, k, False) for k, (name, points) in enumerate(series.items())
             if len(points) > 1]
    title = "Cost against the number of threads"
    if not lines or not plot.draw(os.path.join(folder, "threads.svg"), title, "threads",
                                  "ns an entity", lines):
        return []
    cores = data.context.get("num_cpus", "?")
    rows = []
    for points, name, _, _ in lines:
        one = points[0][2]
        rows.append([name] + [f"{number(point[2])} ({one / point[2]:.2f}x)" for point in points])
    counts = [str(point[0]) for point in lines[0][0]]
    single = [f"*{name}*: {number(points[0][2])} ns." for name, points in series.items()
              if len(points) == 1]
    return [
        f"## {title}", "",
        f"Frames of a schedule with so many threads, on {cores} cores, not pinned to one. In brackets "
        "how many times as fast as one thread. Results are the same whatever the number of "
        f"threads. {' '.join(single)}", "", f"![{title}](threads.svg)", "",
        *table(["ns an entity"] + [f"{count} threads" for count in counts], rows), ""]


# ---- The page ------------------------------------------------------------------------------------

INTRODUCTION = """# What Sett costs, measured

Written by `make bench-full`; do not edit. Sett is an entity component system: a library that keeps the state
of a game or a simulation as entities (numbers), which have components (small structs), and that finds and
visits all entities with certain components. This page says what its operations cost, beside hand-written
arrays and beside other libraries of the kind where they were installed, and what to choose when.

All of it was measured in one run on this machine, with this compiler, these flags, this version:

```
%s
```

One process, pinned to one core but where threads are measured. Other machines give other nanoseconds;
ratios carry further ([an older processor](zen3.md)). Memory begins unused: each measurement pays for its own page faults. Raw data, with every
single repetition, is left in `out/bench/`.
"""


def contents(out):
    """A list of the page's sections, as links."""
    links = []
    for line in out:
        if line.startswith("## "):
            name = line[3:].strip()
            kept = "".join(c for c in name.lower() if c.isalnum() or c in " -")
            links.append(f"- [{name}](#{kept.replace(' ', '-')})")
    return links


def sections(data, goals, reasons, folder):
    """All of the page below its head: (what it always has to come from, lines)."""
    return [
        ("", short_section(data)),  # nothing, without peers
        ("", CHOICE.split("\n")),
        ("full.json", table_section(data)),
        ("", misses_section(data, reasons)),  # nothing, one day
        ("wide.csv", wide_section(data)),
        ("", beside_section(data, goals, reasons)),  # nothing, without peers
        ("full.facts.csv", report_sources.goals_section(data, reasons)),
        ("full.facts.csv", report_sources.memory_section(data, COLUMNS)),
        ("full.json", size_section(data, reasons, folder)),
        ("plans.csv", plan_section(data, folder)),
        ("sweeps.csv", sweep_section(data, folder)),
        ("threads.json", thread_section(data, folder)),
        ("sweeps.csv", report_sources.textbook_sections(data)),
        ("full.facts.csv", report_sources.program_sections(data)),
        ("layouts.txt", layout_section(data)),
        ("states.txt", report_sources.state_section(data)),
        ("builds.csv", report_sources.build_section(data)),
    ]


def lacks(page, folder):
    """Plots that the page shows and that are not there, or are not XML."""
    for name in re.findall(r"\]\((\w+\.svg)\)", page):
        try:
            xml.dom.minidom.parse(os.path.join(folder, name))
        except (OSError, xml.parsers.expat.ExpatError) as error:
            yield f"{name}: {error}"


def main():
    whole = sys.argv[1] == "--whole"
    source, folder = sys.argv[-2:]
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):  # plots of an earlier report that this one may not have
        if name.endswith(".svg"):
            os.remove(os.path.join(folder, name))
    data = measured.Measured(source)
    here = os.path.dirname(os.path.abspath(__file__))
    reasons = measured.read_reasons(here, data)
    goals = measured.read_goals(here, data)
    made = sections(data, goals, reasons, folder)
    out = [line for _, lines in made for line in lines]
    machine = measured.read_text(source, "full.machine.txt")
    page = "\n".join([*(INTRODUCTION % machine).split("\n"), *contents(out), "", *out])
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write(page.rstrip() + "\n")
    plots = sum(name.endswith(".svg") for name in os.listdir(folder))
    print(f"report: {folder}/README.md, {plots} plots, {len(data.samples)} benchmarks")
    wrong = [f"nothing from {name}" for name, lines in made if name and not lines]
    wrong += [f"misses.txt: {key} is no row and no goal" for key in reasons
              if key.split(".")[0] not in {*data.rows, *report_sources.GOALS, "flat"}]
    wrong += [f"goals.txt: {key} is no row" for key in goals if key not in {*data.rows, *data.wide}]
    wrong += lacks(page, folder)
    for text in wrong:
        print(f"report: {text}", file=sys.stderr)
    sys.exit(1 if whole and wrong else 0)


main()
