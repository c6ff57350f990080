#!/usr/bin/env python3
"""Writes the report: a page in Markdown and plots in SVG, from what sett_bench left behind.

    report.py <folder with full.json, full.txt, full.machine.txt> <folder for the report>

Nothing but the standard library. Numbers are medians over the repetitions; the shade around a line
reaches from the first to the third quartile.
"""
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
            label = f"{value:,}"
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
                        f'text-anchor="end">{value:g}</text>')
        self.parts.append(
            f'<text x="{(self.LEFT + right) / 2}" y="{self.HEIGHT - 12}" text-anchor="middle">'
            f"{x_title}</text>")
        middle = (self.TOP + bottom) / 2
        self.parts.append(
            f'<text x="18" y="{middle}" text-anchor="middle" '
            f'transform="rotate(-90 18 {middle})">{y_title}</text>')

    def line(self, points, title, colour):
        """points: (x, low, middle, high)."""
        edge = [f"{self.x(x):.1f},{self.y(high):.1f}" for x, _, _, high in points]
        edge += [f"{self.x(x):.1f},{self.y(low):.1f}" for x, low, _, _ in reversed(points)]
        path = " ".join(f"{self.x(x):.1f},{self.y(middle):.1f}" for x, _, middle, _ in points)
        self.parts.append(
            f'<polygon points="{" ".join(edge)}" fill="{colour}" fill-opacity="0.2" stroke="none"/>'
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
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
            middles = [point[2] for point in points]
            flat[column] = max(middles) / min(middles)
    if not lines:
        return {}
    xs = sorted({point[0] for points, _, _ in lines for point in points})
    ys = [value for points, _, _ in lines for point in points for value in point[1:]]
    plot = Plot(title, xs, ys)
    plot.grid(xs, "entities", "ns an entity")
    for points, name, colour in lines:
        plot.line(points, name, colour)
    with open(os.path.join(folder, f"size_{row}.svg"), "w", encoding="utf-8") as file:
        file.write(plot.text())
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
    out.append("The dearest size as a multiple of the cheapest, 1,000 to 10,000,000 entities:")
    out.append("")
    out.append("| | " + " | ".join(name for _, name, _ in columns) + " |")
    out.append("|---|" + "---|" * len(columns))
    for title, flat in table:
        cells = [f"{flat[key]:.2f}" if key in flat else "" for key, _, _ in columns]
        out.append(f"| {title} | " + " | ".join(cells) + " |")
    return out + [""]


CHOICE = """## What to choose when

| what a type is like | storage |
|---|---|
| most entities have it, or it is joined with others, or it comes and goes | the default: a matrix |
| fewer than about one entity in twenty has it | packed |
| a few types are visited together, in the hottest loop of all | packed, and owned by one group |
| many independent yes-or-no flags that are toggled often | tags, `loose` |
| values must keep an order while some are removed | packed, with `keep_order` |
| many entities of one kind at once | `sett_entity_create_many` |
| a world of tens of megabytes | `huge_pages` in its descriptor |
| many reads by handle, in no order | an accessor held outside of the loop |
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
        "Written by `make bench-full`; do not edit. Nanoseconds an operation, medians of "
        f"{repetitions} repetitions in random order, one process on one core. An operation is one "
        "entity, one pair of add and remove, or one match, as the row says. Everything in a row did "
        "the same work: the program stops if checksums differ. *raw* is hand-written parallel "
        "arrays: no handles, nothing that could be added or removed. *Sett* is as it comes; *tuned* "
        "uses the storage, the bulk call, the group or the huge pages that suit the row. Memory "
        "begins unused: each row pays for its own page faults. *spread* is half the distance "
        "between the quartiles, for the wider of Sett's two columns. *goal* is what this project "
        "wants of itself; `!` marks what is not reached.", "",
        "Machine, compiler, flags, version:", "", "```", machine, "```", "",
        "```", table, "```", "",
    ]
    out += size_section(samples, folder)
    out.append(CHOICE)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    print(f"report: {folder}/README.md, {context['num_cpus']} cores, {len(samples)} benchmarks")


main()
