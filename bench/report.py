#!/usr/bin/env python3
"""Writes the report: a page in Markdown and plots in SVG, from what sett_bench left behind.

    report.py <folder with what tools/bench.sh --full wrote> <folder for the report>

It reads full.json, full.txt and full.machine.txt (sett_bench), plans.csv and plans.txt
(sett_plans), advised.txt (sett_advised) and sweeps.csv (sett_sweeps); of the last four, what is
missing is left out.

Nothing but the standard library. Numbers are medians over the repetitions; the shade around a line
reaches from the first to the third quartile.
"""
import csv
import json
import math
import os
import statistics
import sys

COLUMNS = [
    ("raw", "raw arrays", "#888888"),
    ("pico", "pico_ecs", "#b8860b"),
    ("entt", "EnTT, views", "#2f7ed8"),
    ("entt_group", "EnTT, group", "#7fb2e5"),
    ("flecs", "flecs", "#c0504d"),
    ("sett", "Sett, untuned", "#1a7f37"),
    ("sett_tuned", "Sett, tuned", "#63c174"),
]

SIZES = [
    ("create_none", "create an entity"),
    ("create_2", "create an entity with 2 components"),
    ("iterate_1", "visit 1 component"),
    ("move_1m", "P += V dt"),
    ("toggle_10k", "add and remove a component"),
]


def read_samples(path):
    """name -> list of ns an operation, one of each repetition."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    samples = {}
    for run in data["benchmarks"]:
        if run.get("run_type") == "iteration" and "ns" in run:
            name = run["run_name"].split("/iterations:")[0]
            samples.setdefault(name, []).append(run["ns"])
    return data["context"], samples


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


class Plot:
    """Both axes logarithmic: equal distances are equal ratios."""

    WIDTH, HEIGHT = 720, 400
    LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50

    def __init__(self, title, xs, ys):
        self.x0, self.x1 = math.log10(min(xs)), math.log10(max(xs))
        self.y0 = math.floor(math.log10(min(ys)) * 2) / 2
        self.y1 = math.ceil(math.log10(max(ys)) * 2) / 2
        if self.y1 - self.y0 < 1:
            self.y1 = self.y0 + 1
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
            f'font-family="sans-serif" font-size="12">',
            f'<rect width="{self.WIDTH}" height="{self.HEIGHT}" fill="white"/>',
            f'<text x="{self.LEFT}" y="24" font-size="15">{title}</text>',
        ]
        self.labels = []

    def x(self, value):
        share = (math.log10(value) - self.x0) / (self.x1 - self.x0)
        return self.LEFT + share * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.y0) / (self.y1 - self.y0)
        return self.HEIGHT - self.BOTTOM - share * (self.HEIGHT - self.TOP - self.BOTTOM)

    def grid(self, xs, x_title, y_title):
        bottom = self.HEIGHT - self.BOTTOM
        right = self.WIDTH - self.RIGHT
        for value in xs:
            label = f"{value:,.10g}"
            self.parts.append(
                f'<line x1="{self.x(value):.1f}" x2="{self.x(value):.1f}" y1="{self.TOP}" '
                f'y2="{bottom}" stroke="#eee"/>'
                f'<text x="{self.x(value):.1f}" y="{bottom + 16}" text-anchor="middle">'
                f"{label}</text>")
        for step in range(math.floor(self.y0), math.ceil(self.y1) + 1):
            for factor in (1, 2, 5):
                value = factor * 10.0**step
                if self.y0 - 1e-9 <= math.log10(value) <= self.y1 + 1e-9:
                    self.parts.append(
                        f'<line x1="{self.LEFT}" x2="{right}" y1="{self.y(value):.1f}" '
                        f'y2="{self.y(value):.1f}" stroke="#ddd"/>'
                        f'<text x="{self.LEFT - 6}" y="{self.y(value) + 4:.1f}" '
                        f'text-anchor="end">{value:,.10g}</text>')
        self.parts.append(
            f'<text x="{(self.LEFT + right) / 2}" y="{self.HEIGHT - 12}" text-anchor="middle">'
            f"{x_title}</text>")
        middle = (self.TOP + bottom) / 2
        self.parts.append(
            f'<text x="18" y="{middle}" text-anchor="middle" '
            f'transform="rotate(-90 18 {middle})">{y_title}</text>')

    def line(self, points, title, colour, dashes=""):
        """points: (x, low, middle, high)."""
        edge = [f"{self.x(x):.1f},{self.y(high):.1f}" for x, _, _, high in points]
        edge += [f"{self.x(x):.1f},{self.y(low):.1f}" for x, low, _, _ in reversed(points)]
        path = " ".join(f"{self.x(x):.1f},{self.y(middle):.1f}" for x, _, middle, _ in points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<polygon points="{" ".join(edge)}" fill="{colour}" fill-opacity="0.2" stroke="none"/>'
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        self.labels.append([self.y(points[-1][2]) + 4, title, colour])

    def text(self):
        # Names stand at the ends of their lines, pushed apart where they would overlap.
        self.labels.sort()
        for above, below in zip(self.labels, self.labels[1:]):
            below[0] = max(below[0], above[0] + 14)
        for y, title, colour in self.labels:
            self.parts.append(
                f'<text x="{self.WIDTH - self.RIGHT + 8}" y="{y:.1f}" fill="{colour}">'
                f"{title}</text>")
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def draw(path, title, x_title, y_title, lines):
    """lines: (points, name, colour, dashes)."""
    xs = sorted({point[0] for line in lines for point in line[0]})
    ys = [value for line in lines for point in line[0] for value in point[1:]]
    plot = Plot(title, xs, ys)
    marks = []
    for x in reversed(xs):  # as many as have room
        if not marks or plot.x(marks[-1]) - plot.x(x) > 34:
            marks.append(x)
    plot.grid(marks, x_title, y_title)
    for points, name, colour, dashes in lines:
        plot.line(points, name, colour, dashes)
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot.text())


def read_rows(source, name):
    path = os.path.join(source, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_text(source, name):
    path = os.path.join(source, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read().rstrip()


PALETTE = ["#1a7f37", "#2f7ed8", "#c0504d", "#b8860b", "#7b4ea3", "#444444", "#00868b", "#d2691e"]


def plot_sizes(samples, row, title, folder):
    """Cost against the number of entities. Returns name -> worst ratio between two sizes."""
    lines = []
    flat = {}
    for column, name, colour in COLUMNS:
        points = []
        prefix = f"{row}/{column}/"
        for key, values in samples.items():
            if key.startswith(prefix) and key[len(prefix):].isdigit():
                points.append((int(key[len(prefix):]), *quartiles(values)))
        points.sort()
        if len(points) > 1:
            lines.append((points, name, colour))
            middles = [point[2] for point in points if point[0] >= 1000]
            flat[column] = max(middles) / min(middles)
    if not lines:
        return {}
    draw(os.path.join(folder, f"size_{row}.svg"), title, "entities", "ns an entity",
         [(points, name, colour, "") for points, name, colour in lines])
    return flat


def size_section(samples, folder):
    out = ["## Cost against the number of entities", ""]
    table = []
    for row, title in SIZES:
        flat = plot_sizes(samples, row, title, folder)
        if flat:
            out += [f"![{title}](size_{row}.svg)", ""]
            table.append((title, flat))
    if not table:
        return []
    columns = [column for column in COLUMNS if any(column[0] in flat for _, flat in table)]
    out.append("The dearest size as a multiple of the cheapest, from 1,000 entities on (below, the "
               "fixed cost of a call or a loop is all there is):")
    out.append("")
    out.append("| | " + " | ".join(name for _, name, _ in columns) + " |")
    out.append("|---|" + "---|" * len(columns))
    for title, flat in table:
        cells = [f"{flat[key]:.2f}" if key in flat else "" for key, _, _ in columns]
        out.append(f"| {title} | " + " | ".join(cells) + " |")
    return out + [""]


PLAN_COLOURS = {
    "matrix": "#1a7f37", "tracked": "#63c174", "V packed": "#2f7ed8", "two packed": "#7b4ea3",
    "all packed": "#b8860b", "group beside V": "#c0504d", "group": "#444444",
}


def plan_section(source, folder):
    rows = read_rows(source, "plans.csv")
    if not rows:
        return []
    out = [
        "## Plans against density", "",
        "A query over 1 to 5 components. All of 100,000 entities have the first ones; the last one, "
        "V, is on the share that the axis shows, at random, added in the order of indices or "
        "shuffled. A line is one way to store the types and one way to walk them: *matrix*, all in "
        "matrices, occupancy words intersected; *tracked*, the same under a tracked set of the "
        "query; *V packed*, the others in matrices; *two packed*, V and another, each on its own "
        "share; *all packed*; *group beside V*, a group owns all but V; *group*, it owns all. Where "
        "a layout allows two plans both are drawn, and the planner has to choose. Its choice is a "
        "function of counts alone; over all these points:", "",
        "```", read_text(source, "plans.txt"), "```", ""]
    for components in sorted({row["components"] for row in rows}):
        for order in ("ordered", "shuffled"):
            series = {}
            for row in rows:
                if row["components"] == components and row["order"] == order:
                    ns = float(row["ns"])
                    key = (row["layout"], row["plan"])
                    series.setdefault(key, []).append((float(row["share"]), ns, ns, ns))
            both = {layout for layout, _ in series
                    if len([key for key in series if key[0] == layout]) > 1}
            lines = []
            for (layout, plan), points in series.items():
                name = f"{layout}: {plan.split()[-1]}" if layout in both else layout
                dashes = "6 4" if layout in both and plan != "packed drives" else ""
                lines.append((sorted(points), name, PLAN_COLOURS[layout], dashes))
            title = f"{components} component{'s' if components != '1' else ''}, V {order}"
            draw(os.path.join(folder, f"plans_{components}_{order}.svg"), title,
                 "share of entities that have V", "ns a match", lines)
            out += [f"![{title}](plans_{components}_{order}.svg)"]
    return out + [""]


def advice_section(source):
    text = read_text(source, "advised.txt")
    if not text:
        return []
    return [
        "## What the advice is worth", "",
        "For each loop of the table, every layout of its types was tried (*of*: how many): each type "
        "a matrix or packed, groups over any part of a query, tracked sets. Beside the best stands "
        "what `sett_advise` proposed after twenty recorded rounds in the default layout, applied "
        "as told.", "", "```", text, "```", ""]


SWEEPS = [
    ("size", "Cost against the size of a component", "bytes of a component", "ns an operation",
     "100,000 entities. The loop touches the first four bytes of each value, so beyond 64 bytes each "
     "value costs a cache line of its own."),
    ("types", "Cost against the number of component types", "types registered", "ns an operation",
     "100,000 entities with four types each; nothing depends on how many types there are beside."),
    ("sets", "Cost against the number of different sets of components", "different sets",
     "ns an operation",
     "64 types, of which each entity has one that is looped over, and three others. There are no "
     "archetypes: a loop does not see how many different sets its entities have. A change of "
     "structure finds its way between sets in a table, which is what rises."),
    ("fragmentation", "Cost against fragmentation", "share of entities left", "ns an entity left",
     "100,000 entities with positions and velocities, of which all but a share were destroyed at "
     "random, then P += V dt. A matrix keeps the gaps, packed types close them, a group closes them "
     "and keeps both types alike."),
    ("fragmentation memory", "Memory against fragmentation", "share of entities left",
     "bytes an entity left",
     "The same worlds: all pages, those of entities included."),
    ("memory 1000000 x 16", "Memory against utilisation", "share of entities that have the type",
     "bytes",
     "One type of 16 bytes in a world of a million entities. *linear* and *sparse set* are what the "
     "formulas of the textbook layouts give: C N + N bytes or N / 8 for the flags, and "
     "2 x 4 N + C N share. *matrix* and *packed* are measured in Sett's pages, entities spread at "
     "random; *clustered*, the first ones have it."),
]


def sweep_section(source, folder):
    rows = read_rows(source, "sweeps.csv")
    out = []
    for sweep, title, x_title, y_title, text in SWEEPS:
        series = {}
        for row in rows:
            if row["sweep"] == sweep:
                values = tuple(float(row[key]) for key in ("x", "low", "median", "high"))
                series.setdefault(row["series"], []).append(values)
        if series:
            name = sweep.split()[0] + ("_memory" if sweep.endswith("memory") else "") + "_sweep.svg"
            lines = [(sorted(points), key, PALETTE[k % len(PALETTE)],
                      "6 4" if "packed)" in key or "linear" in key else "")
                     for k, (key, points) in enumerate(series.items())]
            draw(os.path.join(folder, name), title, x_title, y_title, lines)
            out += [f"## {title}", "", text, "", f"![{title}]({name})", ""]
    return out + memory_table(rows)


def memory_table(rows):
    """The formulas for N = 1,000 beside what was measured."""
    cells = {}
    for row in rows:
        if row["sweep"].startswith("memory 1000 x "):
            key = (int(row["sweep"].split()[-1]), float(row["x"]))
            cells.setdefault(key, {})[row["series"]] = int(float(row["median"]))
    if not cells:
        return []
    names = ["linear with bytes", "linear with bits", "sparse set", "matrix",
             "matrix clustered", "packed"]
    out = [
        "## Memory of small worlds", "",
        "Bytes for one type, N = 1,000 entities, of which a share has it. The first three columns "
        "are formulas, the others are measured. Sett takes memory in pages of up to 1,024 rows and "
        "presence in stretches of 1,024 (packed) or 8,192 entities (matrix, 1 KB), so a world this "
        "small pays for whole ones; a page that is empty is not there.", "",
        "| C | share | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for (size, share), found in sorted(cells.items()):
        out.append(f"| {size} | {share:g} | " +
                   " | ".join(f"{found[name]:,}" for name in names) + " |")
    return out + [""]


CHOICE = """## What to choose when

| what a type is like | storage |
|---|---|
| most entities have it, or it is joined with others, or it comes and goes | the default: a matrix |
| fewer than about one entity in twenty has it, and it is read with one or two others | packed |
| a few types are visited together, in the hottest loop of all | packed, and owned by one group |
| many independent yes-or-no flags that are toggled often | tags, `loose` |
| values must keep an order while some are removed | packed, with `keep_order` |
| many entities of one kind at once | `sett_entity_create_many` |
| a world of tens of megabytes | `huge_pages` in its descriptor |
| many reads by handle, in no order | an accessor held outside of the loop |
| a program that runs already | record it, and ask `sett_advise` |
"""


def main():
    source, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    context, samples = read_samples(os.path.join(source, "full.json"))
    with open(os.path.join(source, "full.machine.txt"), encoding="utf-8") as file:
        machine = file.read().rstrip()
    with open(os.path.join(source, "full.txt"), encoding="utf-8") as file:
        table = file.read().rstrip()
    repetitions = max(len(values) for values in samples.values())
    out = [
        "# What Sett costs, measured", "",
        "Written by `make bench-full`; do not edit. Sett is an entity component system: a library "
        "that keeps the state of a game or a simulation as entities (numbers), which have components "
        "(small structs), and that finds and visits all entities with certain components. This page "
        "says what its operations cost, beside hand-written arrays and beside other libraries of "
        "the kind where they were installed, and what to choose when.", "",
        "- **[The table](#the-table)**: each operation, by each library.",
        "- **Against the number of entities, the density, the size and number of components, "
        "fragmentation**: does a cost stay what it is?",
        "- **Memory**: what a type takes, beside what the textbook layouts would.",
        "- **[What to choose when](#what-to-choose-when)**.", "",
        "All of it was measured in one run on this machine, with this compiler, these flags, this "
        "version:", "", "```", machine, "```", "",
        "One process on one core. Other machines give other nanoseconds; ratios carry further. "
        "Memory begins unused: each measurement pays for its own page faults. Raw data, with every "
        "single repetition, is left in `out/bench/`.", "",
        "## The table", "",
        f"Nanoseconds an operation, medians of {repetitions} repetitions in random order. An "
        "operation is one entity, one pair of add and remove, or one match, as the row says. "
        "Everything in a row did the same work: the program stops if checksums differ. *raw* is "
        "hand-written parallel arrays: no handles, nothing that could be added or removed; it is "
        "the floor. *pico* keeps no generations and is compiled into the program; EnTT is templates, "
        "*group* its owning group; flecs uses cached queries. *Sett* is as it comes; *tuned* uses "
        "the storage, the bulk call, the group or the huge pages that suit the row. *spread* is "
        "half the distance between the quartiles, for the wider of Sett's two columns. *goal* is "
        "what this project wants of itself; `!` marks what is not reached.", "",
        "```", table, "```", "",
    ]
    out += size_section(samples, folder)
    out += plan_section(source, folder)
    out += advice_section(source)
    out += sweep_section(source, folder)
    out.append(CHOICE)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    print(f"report: {folder}/README.md, {context['num_cpus']} cores, {len(samples)} benchmarks")


main()
