"""Plots in SVG, as the report wants them: lines over two logarithmic axes, on which equal distances
are equal ratios. Names stand at the ends of the lines. Light or dark, as the reader's system is;
the attributes are for viewers that know no style sheets, and are light."""
import html
import math

SERIES = 8  # colours that there are

STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #57606a; }
.title { font-size: 15px; font-weight: 600; fill: #1f2328; }
.page { fill: #ffffff; } .grid { stroke: #e7eaee; } .axis { stroke: #8c959f; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; } .shade { fill-opacity: .15; }
%s
@media (prefers-color-scheme: dark) {
text { fill: #9aa4af; } .title { fill: #e6edf3; }
.page { fill: #0d1117; } .grid { stroke: #21262d; } .axis { stroke: #6e7681; }
%s
}
</style>"""

LIGHT = ["#1a7f37", "#0969da", "#cf222e", "#9a6700", "#8250df", "#57606a", "#1b7c83", "#bc4c00"]
DARK = ["#4ac26b", "#58a6ff", "#ff7b72", "#d4a72c", "#bc8cff", "#9aa4af", "#39c5cf", "#f0883e"]


def style():
    def colours(values):
        return "\n".join(
            f".line.c{k}, .lead.c{k}, .mark.c{k} {{ stroke: {value}; }} .shade.c{k}, .mark.c{k}, text.c{k} "
            f"{{ fill: {value}; }}" for k, value in enumerate(values))
    return STYLE % (colours(LIGHT), colours(DARK))


def short(value):
    """An axis' label: 1k, 10M, 0.05, 250."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.4g}{name}"
    return f"{value:.4g}"


def percent(value):
    return f"{value * 100:.4g} %"


class Plot:
    WIDTH, HEIGHT = 760, 400
    LEFT, RIGHT, TOP, BOTTOM = 64, 190, 48, 52

    def __init__(self, title, xs, ys):
        self.title = html.escape(title)
        self.x0, self.x1 = math.log10(min(xs)), math.log10(max(xs))
        if self.x1 - self.x0 < 1e-9:
            self.x0, self.x1 = self.x0 - 0.5, self.x1 + 0.5
        self.y0 = math.floor(math.log10(min(ys)) * 4) / 4
        self.y1 = math.ceil(math.log10(max(ys)) * 4) / 4
        missing = 1 - (self.y1 - self.y0)
        if missing > 0:  # a flat line is to look flat
            self.y0 -= missing / 2
            self.y1 += missing / 2
        self.parts = []
        self.labels = []

    def x(self, value):
        share = (math.log10(value) - self.x0) / (self.x1 - self.x0)
        return self.LEFT + share * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.y0) / (self.y1 - self.y0)
        return self.HEIGHT - self.BOTTOM - share * (self.HEIGHT - self.TOP - self.BOTTOM)

    def steps(self):
        """Values at which the upright axis is marked: 1, 2, 5, 10, or fewer where it is long."""
        factors = (1, 2, 5) if self.y1 - self.y0 < 3 else (1,)
        for step in range(math.floor(self.y0), math.ceil(self.y1) + 1):
            for factor in factors:
                value = factor * 10.0**step
                if self.y0 - 1e-9 <= math.log10(value) <= self.y1 + 1e-9:
                    yield value

    def grid(self, xs, x_title, y_title, x_label):
        bottom = self.HEIGHT - self.BOTTOM
        right = self.WIDTH - self.RIGHT
        last = None
        for value in reversed(xs):  # as many names as have room
            at = self.x(value)
            self.parts.append(f'<line class="grid" stroke="#e7eaee" x1="{at:.1f}" x2="{at:.1f}" '
                              f'y1="{self.TOP}" y2="{bottom}"/>')
            if last is None or last - at > 42:
                last = at
                self.parts.append(f'<text x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">'
                                  f"{x_label(value)}</text>")
        for value in self.steps():
            at = self.y(value)
            self.parts.append(f'<line class="grid" stroke="#e7eaee" x1="{self.LEFT}" x2="{right}" '
                              f'y1="{at:.1f}" y2="{at:.1f}"/><text x="{self.LEFT - 7}" y="{at + 4:.1f}" '
                              f'text-anchor="end">{short(value)}</text>')
        self.parts.append(
            f'<line class="axis" stroke="#8c959f" x1="{self.LEFT}" x2="{right}" y1="{bottom}" '
            f'y2="{bottom}"/>'
            f'<text x="{(self.LEFT + right) / 2}" y="{self.HEIGHT - 12}" text-anchor="middle">'
            f"{x_title}</text>"
            f'<text x="16" y="{self.TOP - 10}">{y_title}</text>')

    def line(self, points, name, colour, dashed=False):
        """points: (x, low, middle, high); the shade reaches from low to high."""
        edge = [f"{self.x(x):.1f},{self.y(high):.1f}" for x, _, _, high in points]
        edge += [f"{self.x(x):.1f},{self.y(low):.1f}" for x, low, _, _ in reversed(points)]
        path = " ".join(f"{self.x(x):.1f},{self.y(middle):.1f}" for x, _, middle, _ in points)
        dash = ' stroke-dasharray="7 4"' if dashed else ""
        light = LIGHT[colour]
        self.parts.append(
            f'<polygon class="shade c{colour}" fill="{light}" fill-opacity=".15" '
            f'points="{" ".join(edge)}"/><polyline class="line c{colour}" fill="none" '
            f'stroke="{light}" stroke-width="2" points="{path}"{dash}/>')
        for x, _, middle, _ in points:
            self.parts.append(f'<circle class="mark c{colour}" fill="{light}" cx="{self.x(x):.1f}" '
                              f'cy="{self.y(middle):.1f}" r="2"/>')
        end = self.y(points[-1][2]) + 4
        self.labels.append([end, self.x(points[-1][0]), end, name, colour])

    def names(self):
        """Pushed apart where they would overlap, and back up where that left the page."""
        labels = sorted(self.labels)
        for above, below in zip(labels, labels[1:]):
            below[0] = max(below[0], above[0] + 15)
        limit = self.HEIGHT - self.BOTTOM + 4
        for label in reversed(labels):
            label[0] = min(label[0], limit)
            limit = label[0] - 15
        left = self.WIDTH - self.RIGHT + 14
        out = [f'<line class="lead c{colour}" stroke="{LIGHT[colour]}" stroke-opacity=".5" '
               f'x1="{at + 3:.1f}" x2="{left - 3}" y1="{own - 4:.1f}" y2="{y - 4:.1f}"/>'
               for y, at, own, name, colour in labels]
        return out + [f'<text class="c{colour}" fill="{LIGHT[colour]}" x="{left}" y="{y:.1f}">'
                f"{html.escape(name)}</text>"
                for y, _, _, name, colour in labels]

    def text(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
            f'role="img" aria-label="{self.title}">', style(),
            f'<rect class="page" width="{self.WIDTH}" height="{self.HEIGHT}" rx="8" '
            f'fill="#ffffff"/>',
            f'<text class="title" x="16" y="22">{self.title}</text>',
            *self.parts, *self.names(), "</svg>", ""])


def draw(path, title, x_title, y_title, lines, x_label=short):
    """lines: (points, name, colour, dashed). Values that no logarithm takes are left out."""
    kept = []
    for points, name, colour, dashed in lines:
        points = [point for point in points if min(point) > 0]
        if points:
            kept.append((points, name, colour % SERIES, dashed))
    if not kept:
        return False
    xs = sorted({point[0] for points, _, _, _ in kept for point in points})
    ys = [value for points, _, _, _ in kept for point in points for value in point[1:]]
    plot = Plot(title, xs, ys)
    plot.grid(xs, x_title, y_title, x_label)
    for points, name, colour, dashed in kept:
        plot.line(points, name, colour, dashed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot.text())
    return True
