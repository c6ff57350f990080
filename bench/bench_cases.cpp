// bench_cases.cpp: see bench_cases.h.
#include "bench_cases.h"

#include <cstring>
#include <map>

bool bench_quick;

const scene_case* const bench_suites[BENCH_SUITES] = {scene_six,  scene_removal, scene_profile,
                                                      scene_tags, scene_tree,    scene_frames};

uint32_t bench_scaled(uint32_t count)
{
    return bench_quick && count > 1000 ? 1000 : count;
}

std::string bench_case_name(const scene_case& item, bool tuned)
{
    std::string name = std::string(item.suite) + "/" + item.name + "/";
    if (item.suite == std::string("tags") || item.suite == std::string("frames")) {
        name += std::to_string(item.variant);
    } else {
        name += std::to_string(item.count);
    }
    return name + (tuned ? "/sett_tuned" : "/sett");
}

// Huge pages are all that a case can be tuned by, and only the large ones are.
bool bench_case_has_tuned(const scene_case& item)
{
    return item.suite == std::string("six") && item.count >= 100000 && item.reference_peak != 0;
}

static std::map<const scene_case*, scene_run> counted;

void bench_case_remember(const scene_case& item, const scene_run& run)
{
    counted.emplace(&item, run);
}

const scene_run& bench_case_counted(const scene_case& item)
{
    auto found = counted.find(&item);
    if (found == counted.end()) {
        scene_run run = {};
        run.count = bench_scaled(item.count);
        run.variant = item.variant;
        run.counted = true;
        item.run(&run);
        found = counted.emplace(&item, run).first;
    }
    return found->second;
}

// Peak bytes and allocations, by the meter: they do not depend on the clock, so once is enough.
static void print_memory(std::FILE* out)
{
    if (!meter_works()) {
        std::fprintf(out, "\nmemory: this C library cannot be metered\n");
        return;
    }
    std::fprintf(out, "\n%-41s", "peak MB / allocations");
    for (const bench_column_info& column : bench_columns) {
        std::fprintf(out, " %14s", column.title);
    }
    std::fprintf(out, "\n");
    for (scene_row row : BENCH_MEMORY_ROWS) {
        std::fprintf(out, "%-41s", bench_rows[row].title);
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            if (bench_columns[column].find == nullptr ||
                bench_columns[column].find(row) == nullptr) {
                std::fprintf(out, " %14s", "-");
                continue;
            }
            meter_reading reading = bench_row_memory(row, column);
            char text[48];
            std::snprintf(text, sizeof(text), "%.3f/%zu", double(reading.peak) / 1e6,
                          reading.allocations);
            std::fprintf(out, " %14s", text);
        }
        std::fprintf(out, "\n");
    }
}

static void print_six(const bench_table& table, std::FILE* out)
{
    std::fprintf(out, "\n%-26s %8s %8s %9s | %7s | %11s %11s | %6s %6s\n", "six tests", "ms",
                 "tuned", "reference", "ratio", "peak bytes", "reference", "calls", "ref.");
    for (const scene_case* item = scene_six; item->name != nullptr; item++) {
        const bench_cell* plain = table.cell(bench_case_name(*item, false));
        const bench_cell* tuned = table.cell(bench_case_name(*item, true));
        if (plain == nullptr) {
            continue;
        }
        double operations = plain->operations * 1e-6;
        double best = tuned != nullptr ? tuned->median() : plain->median();
        const scene_run& counted = bench_case_counted(*item);
        std::fprintf(out, "%-26s %8.2f %8s %9.1f | %7.3f | %11zu %11zu | %6zu %6zu\n", item->name,
                     plain->median() * operations,
                     tuned != nullptr ? bench_number(tuned->median() * operations).c_str() : "-",
                     item->reference * 1e3, best * operations / (item->reference * 1e3),
                     counted.peak, item->reference_peak, counted.allocations,
                     item->reference_allocations);
    }
}

// Cases called "<what>, <how>" are measured against "<what>, in bulk", where there is one.
static void print_against_bulk(const bench_table& table, const scene_case& item, std::FILE* out)
{
    std::string name = item.name;
    std::string bulk_name = name.substr(0, name.rfind(',')) + ", in bulk";
    scene_case bulk = item;
    bulk.name = bulk_name.c_str();
    const bench_cell* cell = table.cell(bench_case_name(item, false));
    const bench_cell* in_bulk = table.cell(bench_case_name(bulk, false));
    if (in_bulk != nullptr && bulk_name != name) {
        std::fprintf(out, "  %.2f of in bulk", cell->median() / in_bulk->median());
    }
}

static void print_cases(const bench_table& table, const scene_case* suite, const char* title,
                        std::FILE* out)
{
    bool begun = false;
    for (const scene_case* item = suite; item->name != nullptr; item++) {
        const bench_cell* cell = table.cell(bench_case_name(*item, false));
        if (cell == nullptr) {
            continue;
        }
        if (!begun) {
            std::fprintf(out, "\n%-34s %10s %8s %10s %7s\n", title, "N", "ns", "ms in all",
                         "spread");
            begun = true;
        }
        std::fprintf(out, "%-34s %10u %8s %10.3f %6.1f%%", item->name, item->count,
                     bench_number(cell->median()).c_str(), cell->median() * cell->operations * 1e-6,
                     cell->spread() * 100);
        if (suite == scene_tags) {
            const scene_run& counted = bench_case_counted(*item);
            std::fprintf(out, "  %u tags, %.1f MB at most, %zu allocations", item->variant,
                         double(counted.peak) * 1e-6, counted.allocations);
        }
        print_against_bulk(table, *item, out);
        std::fprintf(out, "\n");
    }
}

// Three cases follow one another: the profiles A, AA and AAA of one measurement.
static void print_profiles(const bench_table& table, std::FILE* out)
{
    bool begun = false;
    for (const scene_case* item = scene_profile; item->name != nullptr; item += 3) {
        double ns[3];
        for (int k = 0; k < 3; k++) {
            const bench_cell* cell = table.cell(bench_case_name(item[k], false));
            ns[k] = cell != nullptr ? cell->median() : 0;
        }
        if (ns[0] <= 0) {
            continue;
        }
        if (!begun) {
            std::fprintf(out, "\n%-24s %10s %8s %8s %8s %9s\n", "profiles, ns an entity", "N", "A",
                         "AA", "AAA", "AAA / A");
            begun = true;
        }
        std::string name = item->name;
        std::fprintf(out, "%-24s %10u %8s %8s %8s %9.2f\n", name.substr(0, name.rfind(',')).c_str(),
                     item->count, bench_number(ns[0]).c_str(), bench_number(ns[1]).c_str(),
                     bench_number(ns[2]).c_str(), ns[2] / ns[0]);
    }
}

static void print_density(std::FILE* out)
{
    std::fprintf(out, "\nbytes a value, N = 1,000,000    %8s %8s | %9s %9s %9s\n", "array",
                 "sparse", "array", "clustered", "sparse-set");
    for (uint32_t size : {8u, 16u, 24u, 32u, 64u, 256u}) {
        for (double share : {1.0, 0.5, 0.1, 0.01}) {
            double values = 1e6 * share;
            scene_density spread = {1000000, size, share, true, false, 0, 0, 0};
            scene_density clustered = {1000000, size, share, false, false, 0, 0, 0};
            scene_density sparse_set = {1000000, size, share, true, true, 0, 0, 0};
            scene_density_measure(&spread);
            scene_density_measure(&clustered);
            scene_density_measure(&sparse_set);
            std::fprintf(out, "%4u bytes, %5.1f %% have it      %8.1f %8.1f | %9.1f %9.1f %9.1f\n",
                         size, share * 100, double(spread.linear) / values,
                         double(spread.sparse) / values, double(spread.measured) / values,
                         double(clustered.measured) / values, double(sparse_set.measured) / values);
        }
    }
}

void bench_print_cases(const bench_table& table, bool full, std::FILE* out)
{
    if (table.cell("create_2/sett") != nullptr) {
        print_memory(out);
    }
    if (table.cell("six/create/1000000/sett") != nullptr) {
        print_six(table, out);
    }
    print_cases(table, scene_removal, "removing all values of a type", out);
    print_profiles(table, out);
    print_cases(table, scene_tags, "toggling tags", out);
    print_cases(table, scene_tree, "trees", out);
    print_cases(table, scene_frames, "frames, on so many threads", out);
    if (full && !bench_quick && table.cell("create_2/sett") != nullptr) {
        print_density(out);
    }
}
