"""Sections of the report (report.py) on what others measured, rebuilt, and on memory and builds."""
import statistics

import measured

# What the authors of those programs published or what their fastest versions take; see each table.
SIX = [  # case, title, published: first, second and third version, seconds
    ("create", "Create", "1.05", "0.0335", "0.0132"),
    ("add", "Add", "1.17", "0.484", "0.316"),
    ("add_write_delete", "AddWriteDelete", "1.77", "1.14", "0.651"),
    ("distributed", "Distributed...", "1.72", "1.10", "0.655"),
    ("relationship", "Relationship...", "1.84", "1.61", "0.961"),
    ("relationship by hand", "the same, links by hand", "1.84", "1.61", "0.961"),
    ("random", "Random", "1.13", "0.857", "0.616"),
]
GOALS = {"six", "profile", "d1", "removal", "threads"}  # what reasons may be about, beside rows
SIX_RATIO = 0.35
SIX_CALLS = 40
PROFILE_SPREAD = 0.10
SWAP_NS = 1.2
ORDER_MS = 5.0
ORDER_COUNT = 250000
D1_MISSES = 0.27
THREADS = 1.7


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)] + [
        "| " + " | ".join(line) + " |" for line in lines]


def cases(data, suite):
    return {(case["name"], case["count"]): case for case in data.cases.get(suite, [])}


# ---- The six tests -------------------------------------------------------------------------------


def six_ratio(data, case):
    """Sett's time by the reference's; of Random without the generator, on both sides."""
    taken = data.seconds(case["benchmark"])
    tuned = data.seconds(case["benchmark"].replace("/sett", "/sett_tuned"))
    taken = min(taken, tuned) if tuned is not None else taken
    less, less_reference = 0, 0
    if case["name"] == "random":
        for other in data.cases["six"]:
            if other["name"] == "random, generator alone":
                less = data.seconds(other["benchmark"])
                less_reference = other["seconds"]
    return (taken - less) / (case["seconds"] - less_reference)


def six_section(data):
    found = {case["name"]: case for case in data.cases.get("six", [])}
    lines = []
    for name, title, *published in SIX:
        case = found.get(name)
        if case is None:
            continue
        peak, calls = data.counted.get(case["benchmark"], (0, 0))
        tuned = data.seconds(case["benchmark"].replace("/sett", "/sett_tuned"))
        lines.append([title, number(data.seconds(case["benchmark"]) * 1e3),
                      number(tuned * 1e3) if tuned else "–", number(case["seconds"] * 1e3),
                      f"{six_ratio(data, case):.2f}", f"{peak:,}", f"{case['peak']:,}",
                      f"{calls:,}", f"{case['calls']:,}", *published])
    if not lines:
        return []
    bare = found.get("random, generator alone")
    return [
        "## Varkor's six tests", "",
        "The tests by which the engine Varkor compared its component systems, rebuilt from their "
        "description: a million creations; half a million entities with four components; three "
        "kinds of churn; a random mixture whose every draw is prescribed. *new_1*: the fastest of "
        "its versions, rebuilt and measured on a machine like this one. *ratio*: Sett at best by "
        f"new_1, at most {SIX_RATIO} wanted; of Random without what its generator and lists cost "
        f"alone ({number(data.seconds(bare['benchmark']) * 1e3) if bare else '–'} ms here, "
        f"{number(bare['seconds'] * 1e3) if bare else '–'} there). Peak bytes and allocations by an "
        "allocator that counts. The last three columns, in seconds, are what the author published "
        "(Ryzen 5 2600X).", "",
        *table(["test", "Sett, ms", "huge pages", "new_1", "ratio", "peak", "new_1",
                "allocations", "new_1", "old_0 s", "new_0 s", "new_1 s"], lines), ""]


# ---- Profiles ------------------------------------------------------------------------------------


def profiles(data):
    """(what, entities, [ns in A, AA, AAA]) for each measurement."""
    found = {}
    for case in data.cases.get("profile", []):
        what, profile = case["name"].rsplit(", ", 1)
        value = data.median(case["benchmark"])
        if value is not None:
            found.setdefault((what, case["count"]), {})[profile] = value
    for (what, count), values in found.items():
        if len(values) == 3:
            yield what, count, [values["A"], values["AA"], values["AAA"]]


def profile_section(data):
    lines = [[f"{what} component{'s' if not what.endswith('1') else ''}", f"{count:,}"] +
             [number(value) for value in values] +
             [f"{values[2] / values[0]:.2f}", number(1e3 / values[0]), number(1e3 / values[2])]
             for what, count, values in sorted(profiles(data), key=lambda item: (item[0], item[1]))]
    if not lines:
        return []
    return [
        "## pvigier's three benchmarks", "",
        "Creating entities, visiting them, and creating then removing them, with 1, 2 or 3 "
        "components, in worlds of three profiles: A (32 component types, 16 systems), AA (128, 32) "
        "and AAA (512, 64). Removal in the author's hash-map version visits every type: it falls "
        "from 7.4 to 1.7 million entities a second from A to AAA at 1,000 entities. Here it visits "
        "what an entity has. ns an entity; *M/s*: million entities a second.", "",
        *table(["", "N", "A", "AA", "AAA", "AAA / A", "M/s in A", "M/s in AAA"], lines), "",
        *miss_lines(data)]


def d1_misses(data):
    """D1 misses an entity of P += V dt, by cachegrind; None if it was not counted."""
    for line in measured.read_text(data.source, "counts.txt").splitlines():
        if line.strip().startswith("all related to one target"):
            return float(line.split()[-3])
    return None


def miss_lines(data):
    value = d1_misses(data)
    if value is None:
        return []
    return [f"Cachegrind counts {value:.2f} first-level cache misses an entity and update of P += V "
            "dt; the author's hash-map version has 2.08, his vector version 0.50, and two dense "
            "arrays of 8 bytes read in order must have 0.25. The counts, of relationships and "
            "prefabs too (`tools/count.sh`):", "",
            "```", measured.read_text(data.source, "counts.txt"), "```", ""]


# ---- Removal -------------------------------------------------------------------------------------


def removal_section(data):
    found = cases(data, "removal")
    kinds = []
    for name, _ in found:
        kind = name.rsplit(", ", 1)[0]
        if kind not in kinds:
            kinds.append(kind)
    lines = []
    for kind in kinds:
        for count in sorted({count for _, count in found}):
            cells = [found.get((f"{kind}, {order}", count)) for order in
                     ("linear", "random", "reverse")]
            if all(cells):
                lines.append([kind, f"{count:,}"] + [
                    f"{number(data.median(case['benchmark']))} "
                    f"({number(data.seconds(case['benchmark']) * 1e3)} ms)" for case in cells])
    if not lines:
        return []
    return [
        "## blackbone's removals", "",
        "Values of 12 bytes; all of N are removed, in the order of creation, at random, and the "
        "other way round. *sparse-set*, *keep_order*: through the world, which checks a handle, changes "
        "the entity's set of components and runs the callbacks; *keep_order* leaves holes and "
        "compacts once in the end, inside the clock. The others are bare storages: *sparse set "
        "alone* is Sett's, of numbers without values; *textbook sparse set* has values and fills a "
        "hole with the last; *order kept at once* moves up all that lies behind, which the author "
        "measured at 5.8 s for 100,000 and 18 to 37 s for 250,000. ns a value.", "",
        *table(["storage", "N", "in order", "at random", "reversed"], lines), ""]


# ---- Goals beside the table ----------------------------------------------------------------------


def claim(lines, title, value, goal, kept, why):
    lines.append([title, value, goal, "yes" if kept else "**no**", "" if kept else why])


def six_claims(data, reasons, lines):
    for case in data.cases.get("six", []):
        name = case["name"]
        if name == "random, generator alone" or name == "relationship by hand":
            continue
        why = reasons.get(f"six.{name}", "Not looked into yet.")
        value = six_ratio(data, case)
        claim(lines, f"six tests, {name}: time by new_1's", f"{value:.2f}", f"{SIX_RATIO}",
              value <= SIX_RATIO, why)
        peak, calls = data.counted.get(case["benchmark"], (0, 0))
        if peak > case["peak"] or calls > SIX_CALLS:
            claim(lines, f"six tests, {name}: peak bytes, allocations", f"{peak:,}, {calls}",
                  f"{case['peak']:,}, {SIX_CALLS}", False,
                  reasons.get(f"six.{name}.memory", "Not looked into yet."))


def goals_section(data, reasons):
    lines = []
    six_claims(data, reasons, lines)
    worst = max(((max(values) / min(values) - 1, what, count)
                 for what, count, values in profiles(data)), default=None)
    if worst:
        claim(lines, f"profiles A, AA, AAA apart, at worst ({worst[1]}, {worst[2]:,})",
              f"{worst[0] * 100:.0f} %", f"{PROFILE_SPREAD * 100:.0f} %",
              worst[0] <= PROFILE_SPREAD, reasons.get("profile", "Not looked into yet."))
    value = d1_misses(data)
    if value is not None:
        claim(lines, "D1 misses an entity, P += V dt", f"{value:.2f}", f"{D1_MISSES}",
              value <= D1_MISSES, reasons.get("d1", "Not looked into yet."))
    found = cases(data, "removal")
    for name in ("sparse set", "sparse set alone"):
        values = [data.median(case["benchmark"]) for (title, _), case in found.items()
                  if title == f"{name}, linear"]
        if values:
            claim(lines, f"removal in order, {name}, ns a value", number(max(values)),
                  f"{SWAP_NS}", max(values) <= SWAP_NS,
                  reasons.get(f"removal.{name}", "Not looked into yet."))
    values = [data.seconds(case["benchmark"]) * 1e3 for (title, count), case in found.items()
              if title.startswith("keep_order") and count == ORDER_COUNT]
    if values:
        claim(lines, f"removal of {ORDER_COUNT:,} keeping their order, worst of three orders, ms",
              number(max(values)), f"{ORDER_MS:g}", max(values) <= ORDER_MS,
              reasons.get("removal.order", "Not looked into yet."))
    one = data.median("frames/iterate 1 component, 1/1/sett")
    two = data.median("frames/iterate 1 component, 2/2/sett")
    if one and two and int(data.context.get("num_cpus", 1)) > 1:
        claim(lines, "2 threads by 1, visiting a million", f"{one / two:.2f}x", f"{THREADS}x",
              one / two >= THREADS, reasons.get("threads", "Not looked into yet."))
    if not lines:
        return []
    return ["## Other goals", "", "Beside the rows of the table; the sections below have the data.",
            "", "| | measured | goal | kept | why not |", "|---|--:|--:|---|---|",
            *["| " + " | ".join(line) + " |" for line in lines], ""]


# ---- Memory --------------------------------------------------------------------------------------


def memory_section(data, columns):
    lines = []
    for row in dict.fromkeys(row for row, _ in data.memory):
        cells = [data.memory.get((row, column[0])) for column in columns]
        lines.append([data.rows[row][0]] + [
            f"{cell[0] / 1e6:.2f} MB, {cell[1]:,}" if cell else "–" for cell in cells])
    tags = []
    for case in data.cases.get("tags", []):
        value = data.median(case["benchmark"])
        peak, calls = data.counted.get(case["benchmark"], (0, 0))
        tags.append([case["name"], str(case["variant"]), number(value), f"{peak / 1e6:.1f} MB",
                     f"{calls:,}"])
    out = []
    if lines:
        out += ["## Memory beside the others", "",
                "Bytes alive at most, and allocations, of all that the process asked its C library "
                "for during a row of the table.", "",
                *table([""] + [column[1] for column in columns], lines), ""]
    if tags:
        out += ["## Many independent tags", "",
                "Tags toggled at random over a million entities. Plain ones take part in the sets of "
                "components, of which there are as many as combinations; dont_fragment ones do not. Memory "
                "is the world's.", "",
                *table(["", "tags", "ns a toggle", "peak", "allocations"], tags), ""]
    return out


UTILISATION = [  # heading, series
    ("linear, byte", "linear with bytes"), ("measured", "linear with bytes measured"),
    ("linear, bit", "linear with bits"), ("measured", "linear with bits measured"),
    ("sparse set", "sparse set"), ("measured", "sparse set measured"),
    ("dictionary", "dictionary measured"), ("array", "array"),
    ("array, clustered", "array clustered"), ("sparse-set", "sparse-set"),
]


def utilisation(data, sweep):
    """share -> series -> bytes."""
    cells = {}
    for series, points in data.sweeps.get(sweep, {}).items():
        for share, _, middle, _ in points:
            cells.setdefault(share, {})[series] = int(middle)
    return cells


def utilisation_lines(data, sweep, first):
    lines = []
    for share, found in sorted(utilisation(data, sweep).items()):
        lines.append(first + [f"{share * 100:g} %"] +
                     [f"{found[series]:,}" if series in found else "–"
                      for _, series in UTILISATION])
    return lines


def storage_tables(data):
    out = []
    titles = {"add": "Add", "visit": "Visit all", "get": "Get at random", "remove": "Remove at random"}
    for what, title in titles.items():
        series = data.sweeps.get(f"storage {what}", {})
        shares = sorted({point[0] for points in series.values() for point in points})
        lines = []
        for name, points in series.items():
            values = {point[0]: point[2] for point in points}
            lines.append([name] + [number(values[share]) if share in values else "–"
                                   for share in shares])
        if lines:
            out += [f"**{title}**, ns a value:", "",
                    *table(["share that has it"] + [f"{share * 100:g} %" for share in shares],
                           lines), ""]
    return out


def textbook_sections(data):
    out = []
    costs = storage_tables(data)
    if costs:
        out += ["## Beside the storages of the textbook", "",
                "One type of 16 bytes, 100,000 entities of which a share has it. *linear*: a value "
                "for every entity, and a byte or a bit that says whether it is there; *sparse set*; "
                "*dictionary*: a hash table; each bare, by number, in the program's own file, "
                "nothing checked but presence. *array* and *sparse-set* are Sett's: through a world, by "
                "handle, checked.", "", *costs]
    sizes = sorted(int(sweep.split()[-1]) for sweep in data.sweeps
                   if sweep.startswith("memory 1000 x "))
    lines = []
    for size in sizes:
        lines += utilisation_lines(data, f"memory 1000 x {size}", [str(size)])
    if lines:
        out += [
            "## blackbone's table of memory", "",
            "Bytes for one type of C bytes in a world of 1,000 entities, of which a share has it: by "
            "the formulas (C + 1) N, C N + N / 8 and 2 x 4 N + C N share, and beside them as "
            "measured; arrays that grow by doubling are larger than the formula. Sett takes memory "
            "in pages of up to 1,024 rows and presence in stretches of 1,024 (sparse-set) or 8,192 "
            "entities (array, 1 KB), so a world this small pays for whole ones; a page that is "
            "empty is not there. *array* has its entities spread at random, *clustered* the first "
            "ones.", "", *table(["C", "share"] + [title for title, _ in UTILISATION], lines), ""]
    lines = utilisation_lines(data, "memory 1000000 x 16", [])
    if lines:
        out += ["The same for 16 bytes in a world of a million:", "",
                *table(["share"] + [title for title, _ in UTILISATION], lines), ""]
    return out


def program_sections(data):
    return six_section(data) + profile_section(data) + removal_section(data) + tree_section(data)


def tree_section(data):
    lines = [[case["name"], f"{case['count']:,}", number(data.median(case["benchmark"]))]
             for case in data.cases.get("tree", []) if data.median(case["benchmark"])]
    return ["## Trees", "",
            "*by hand*: the row of the table with links in a component of one's own; *detach*: one of "
            "ten million children; *5 components*: entities with given values in one call, and the "
            "same as instances of a prefab, in one call and one a call, and each created and set; *transforms*: parents before "
            "children, through trees so wide or deep. ns an entity.", "", *table(["", "entities", "ns"], lines), ""] if lines else []


def state_section(data):
    text = measured.read_text(data.source, "states.txt")
    return ["## Snapshots", "",
            "100,000 entities of five components of 8 to 64 bytes, a ring of ten snapshots, and a "
            "share of the pages written to each frame, one value a page. *kept*: taking the snapshot "
            "and the writes, which save what they change; beside it a memcpy of as many pages, "
            "equally cold. *rewind*: back over eight frames, and forward again. Microseconds, "
            "medians. The second table has 99th percentiles beside them: a *frame* is taking and "
            "writing, *encode* and *apply* are of a delta over eight frames, which has so many "
            "*bytes*; *kept/byte* is what snapshots hold for each byte written.", "", "```", text, "```", ""] if text else []


# ---- Builds --------------------------------------------------------------------------------------


def build_section(data):
    samples = {}
    for row in measured.read_rows(data.source, "builds.csv"):
        key = (row["build"], row["pages"])
        samples.setdefault(key, {}).setdefault(row["row"], []).append(float(row["ns"]))
    if not samples:
        return []
    medians = {key: {row: statistics.median(values) for row, values in rows.items()}
               for key, rows in samples.items()}
    base = medians.get(("gcc-O3-native", "huge")) or next(iter(medians.values()))
    rows = list(base)
    lines = []
    for (build, pages), values in medians.items():
        name = build.replace("-", " -", 1).replace("-generic", " generic").replace("-native",
                                                                                  " native")
        lines.append([name, pages] + [f"{number(values[row])} ({values[row] / base[row]:.2f})"
                                      if row in values else "–" for row in rows])
    titles = [data.rows[row][0] if row in data.rows else row for row in rows]
    return [
        "## Compilers, flags, pages", "",
        "Sett untuned, built eight ways: *generic* is what the compiler takes every machine to have, "
        "*native* this one. *huge*: Sett's larger blocks lie on huge pages where the system gives "
        "them, which is what it asks for by itself; *small*: the system was asked not to. ns, and in "
        "brackets the ratio to gcc -O3 native with huge pages, which is what the table above has.", "",
        *table(["build", "pages"] + titles, lines), "", *build_words(medians, rows, titles), ""]


def build_words(medians, rows, titles):
    """What the table says: one factor at a time, the others alike."""
    factors = [
        ("A generic build beside a native one", "-generic", "-native"),
        ("-O2 beside -O3", "-O2", "-O3"), ("clang beside gcc", "clang", "gcc")]
    out = []
    for text, worse, better in factors:
        out.append((text, pairs(medians, rows, lambda key, w=worse, b=better:
                                (key[0].replace(w, b), key[1]) if w in key[0] else None)))
    out.append(("Small pages beside huge ones", pairs(
        medians, rows, lambda key: (key[0], "huge") if key[1] == "small" else None)))
    lines = []
    for text, ratios in out:
        if ratios:
            loses = [f"{title} ({ratios[row]:.2f})" for row, title in zip(rows, titles)
                     if ratios.get(row, 0) > 1.1]
            wins = [f"{title} ({ratios[row]:.2f})" for row, title in zip(rows, titles)
                    if 0 < ratios.get(row, 1) < 0.9]
            words = [f"loses in {', '.join(loses)}"] if loses else []
            words += [f"wins in {', '.join(wins)}"] if wins else []
            lines.append(f"- **{text}** {', '.join(words) or 'is within a tenth in all rows'}.")
    return lines


def pairs(medians, rows, other):
    """row -> median over all pairs of builds of the ratio of one to its other."""
    ratios = {}
    for key, values in medians.items():
        found = medians.get(other(key)) if other(key) else None
        for row in rows if found else []:
            ratios.setdefault(row, []).append(values[row] / found[row])
    return {row: statistics.median(values) for row, values in ratios.items()}
