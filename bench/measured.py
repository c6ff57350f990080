"""What the benchmarks left behind, read: times, facts beside them, sweeps, builds, reasons."""
import csv
import glob
import json
import os
import re
import statistics


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def read_text(source, name):
    path = os.path.join(source, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read().rstrip()


def read_rows(source, name):
    return list(csv.DictReader(read_text(source, name).splitlines()))


class Measured:
    """samples[benchmark]: ns an operation, of each repetition. operations[benchmark]: of one."""

    def __init__(self, source):
        self.source = source
        self.samples = {}
        self.operations = {}
        self.context = {}
        for name in ("full.json", "threads.json"):
            self.read_times(name)
        self.rows = {}  # name -> (title, entities, goal, goal tuned)
        self.columns = {}  # name -> whether it was built
        self.memory = {}  # (row, column) -> (peak bytes, allocations)
        self.cases = {}  # suite -> list of cases, as dictionaries
        self.counted = {}  # benchmark -> (peak bytes, allocations)
        for name in ("full.facts.csv", "threads.facts.csv"):
            for line in csv.reader(read_text(source, name).splitlines()):
                self.read_fact(*line)
        for suite, cases in self.cases.items():
            self.cases[suite] = [case for case in cases if case["benchmark"] in self.samples]
        self.wide = {}  # row -> (title, column -> [minimum, low, median, high])
        for line in read_rows(source, "wide.csv"):
            self.wide.setdefault(line["row"], (line["title"], {}))[1][line["column"]] = [
                float(line[key]) for key in ("minimum", "low", "median", "high")]
        self.sweeps = {}  # sweep -> series -> list of (x, low, median, high)
        for row in read_rows(source, "sweeps.csv"):
            point = tuple(float(row[key]) for key in ("x", "low", "median", "high"))
            self.sweeps.setdefault(row["sweep"], {}).setdefault(row["series"], []).append(point)
        for series in self.sweeps.values():
            for points in series.values():
                points.sort()

    def read_times(self, name):
        text = read_text(self.source, name)
        if not text:
            return
        data = json.loads(text)
        self.context = self.context or data["context"]
        for run in data["benchmarks"]:
            if run.get("run_type") == "iteration" and "ns" in run:
                key = run["run_name"].split("/iterations:")[0]
                self.samples.setdefault(key, []).append(run["ns"])
                self.operations[key] = run["operations"]

    def read_fact(self, kind, *fields):
        if kind == "row":
            name, title, count, goal, tuned = fields
            self.rows[name] = (title, int(count), float(goal), float(tuned))
        elif kind == "column":
            self.columns[fields[0]] = fields[2] == "1"
        elif kind == "memory":
            self.memory[fields[0], fields[1]] = (int(fields[2]), int(fields[3]))
        elif kind == "counted":
            self.counted[fields[0]] = (int(fields[1]), int(fields[2]))
        elif kind == "case":
            suite, name, benchmark, count, variant, seconds, peak, calls = fields
            self.cases.setdefault(suite, []).append({
                "name": name, "benchmark": benchmark, "count": int(count), "variant": int(variant),
                "seconds": float(seconds), "peak": int(peak), "calls": int(calls)})

    def median(self, benchmark):
        """ns an operation; None if it was not measured."""
        values = self.samples.get(benchmark)
        return statistics.median(values) if values else None

    def spread(self, benchmark):
        """Half the distance between the quartiles, as a share of the median."""
        low, middle, high = quartiles(self.samples[benchmark])
        return (high - low) / 2 / middle

    def seconds(self, benchmark):
        """Of one repetition."""
        value = self.median(benchmark)
        return None if value is None else value * self.operations[benchmark] * 1e-9

    def sizes(self, row, column):
        """[(entities, low, median, high)] of a row that was measured at several sizes."""
        prefix = f"{row}/{column}/"
        return sorted((int(key[len(prefix):]), *quartiles(values))
                      for key, values in self.samples.items()
                      if key.startswith(prefix) and key[len(prefix):].isdigit())


def told(value):
    return "?" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def read_lines(folder, name, data):
    """(key, text) of each line `key: text`. In it `{i:add}` stands for the instructions that the
    scene `add` takes by the baseline of tools/instructions.sh, `{m:add/raw}` for measured ns."""
    counts = {}
    for path in sorted(glob.glob(os.path.join(folder, "instructions", "gcc-*.txt")))[:1]:
        with open(path, encoding="utf-8") as file:
            counts = dict(line.split()[:2] for line in file if line.strip())
    for line in read_text(folder, name).splitlines():
        if line and not line.startswith("#"):
            key, text = line.split(":", 1)
            text = re.sub(r"\{i:(\w+)\}", lambda found: f"{float(counts[found[1]]):.0f}"
                          if found[1] in counts else "some", text.strip())
            yield key, re.sub(r"\{m:([\w/]+)\}", lambda found: told(data.median(found[1])), text)


def read_reasons(folder, data):
    """Why a goal is missed: key -> sentence."""
    reasons = {}
    for keys, sentence in read_lines(folder, "misses.txt", data):
        for key in keys.split(","):
            reasons[key.strip()] = sentence
    return reasons


def read_goals(folder, data):
    """row -> (its goals as text, the library that they are ratios to or "", why one is missed)."""
    goals = {}
    for key, rest in read_lines(folder, "goals.txt", data):
        row, _, peer = key.partition("/")
        wanted, _, why = rest.partition(":")
        goals[row] = (wanted.split(), peer, why.strip())
    return goals
