// bench_main.cpp: runs the scenes under Google Benchmark and prints the table.
//
//   sett_bench [--full] [option of Google Benchmark]...
//
// A benchmark is called <row>/<column>; with --full also <row>/<column>/<entities>; the cases of
// scene_case.h <suite>/<case>/<count>/<sett or sett_tuned>. Repetitions of all benchmarks are run
// in random order, so that a noisy minute falls on all of them alike.
#include "bench_table.h"
#include "meter.h"
#include "scene_case.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

const bench_row_info bench_rows[SCENE_ROWS] = {
#define BENCH_ROW_INFO(name, title, entities, untuned, tuned)                                      \
    {#name, title, entities, untuned, tuned},
    SCENE_ROW_LIST(BENCH_ROW_INFO)
#undef BENCH_ROW_INFO
};

const bench_column_info bench_columns[BENCH_COLUMNS] = {
    {"raw", "raw", scene_raw},
#if defined(BENCH_WITH_PICO)
    {"pico", "pico", scene_pico},
#else
    {"pico", "pico", nullptr},
#endif
#if defined(BENCH_WITH_ENTT)
    {"entt", "EnTT", scene_entt},    {"entt_group", "group", scene_entt_group},
#else
    {"entt", "EnTT", nullptr},    {"entt_group", "group", nullptr},
#endif
#if defined(BENCH_WITH_FLECS)
    {"flecs", "flecs", scene_flecs},
#else
    {"flecs", "flecs", nullptr},
#endif
    {"sett", "Sett", scene_sett},    {"sett_tuned", "tuned", scene_sett},
};

// What the first column of a row computed; all others must compute the same.
struct checked {
    uint64_t checksum = 0;
    const char* column = nullptr;
};

static std::map<std::pair<int, uint32_t>, checked> checks;

static void check(int row, uint32_t count, const char* column, uint64_t checksum)
{
    checked& first = checks[{row, count}];
    if (first.column == nullptr) {
        first.checksum = checksum;
        first.column = column;
    } else if (first.checksum != checksum) {
        std::fprintf(stderr,
                     "bench: %s: %s computed %016llx, %s computed %016llx: not the same work\n",
                     bench_rows[row].name, first.column, (unsigned long long)first.checksum, column,
                     (unsigned long long)checksum);
        std::abort();
    }
}

// More memory than any implementation asks for.
static void settle(uint32_t count)
{
    meter_settle((size_t(128) << 20) + size_t(64) * count);
}

static scene_run run_scene(int row, int column, uint32_t count)
{
    scene_run run = {};
    run.count = count;
    run.tuned = column == BENCH_TUNED;
    settle(count);
    bench_columns[column].find(scene_row(row))(&run);
    check(row, count, bench_columns[column].name, run.checksum);
    return run;
}

static void benchmark_scene(benchmark::State& state, int row, int column, uint32_t count)
{
    double seconds = 0;
    double operations = 0;
    for (auto _ : state) {
        scene_run run = run_scene(row, column, count);
        state.SetIterationTime(run.seconds);
        seconds += run.seconds;
        operations += double(run.operations);
    }
    state.counters["ns"] = seconds * 1e9 / operations;
    state.counters["operations"] = operations;
}

static benchmark::internal::Benchmark* add_benchmark(int row, int column, uint32_t count,
                                                     const std::string& name)
{
    if (bench_columns[column].find == nullptr ||
        bench_columns[column].find(scene_row(row)) == nullptr) {
        return nullptr;
    }
    return benchmark::RegisterBenchmark(name.c_str(), benchmark_scene, row, column, count)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

static void add_table()
{
    for (int row = 0; row < SCENE_ROWS; row++) {
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            add_benchmark(row, column, bench_rows[row].count,
                          std::string(bench_rows[row].name) + "/" + bench_columns[column].name);
        }
    }
}

// Whether the cost of an entity depends on how many there are.
static void add_sizes()
{
    const scene_row rows[] = {SCENE_create_none, SCENE_create_2, SCENE_iterate_1, SCENE_move_1m,
                              SCENE_toggle_10k};
    for (scene_row row : rows) {
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            // EnTT's own handles have 20 bits for the number of an entity.
            bool entt = column == BENCH_ENTT || column == BENCH_GROUP;
            bool repeats = row != SCENE_create_none && row != SCENE_create_2;
            for (uint32_t count = repeats ? 1 : 1000; count <= (entt ? 1000000u : 10000000u);
                 count *= 10) {
                add_benchmark(row, column, count,
                              std::string(bench_rows[row].name) + "/" + bench_columns[column].name +
                                  "/" + std::to_string(count));
            }
        }
    }
}

// Peak bytes and allocations, by the meter: they do not depend on the clock, so once is enough.
static void print_memory(std::FILE* out)
{
    if (!meter_works()) {
        std::fprintf(out, "\nmemory: this C library cannot be metered\n");
        return;
    }
    const scene_row rows[] = {SCENE_create_2, SCENE_churn};
    std::fprintf(out, "\n%-41s", "peak MB / allocations");
    for (const bench_column_info& column : bench_columns) {
        std::fprintf(out, " %14s", column.title);
    }
    std::fprintf(out, "\n");
    for (scene_row row : rows) {
        std::fprintf(out, "%-41s", bench_rows[row].title);
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            if (bench_columns[column].find == nullptr ||
                bench_columns[column].find(row) == nullptr) {
                std::fprintf(out, " %14s", "-");
                continue;
            }
            meter_begin();
            (void)run_scene(row, column, bench_rows[row].count);
            meter_reading reading = meter_end();
            char text[48];
            std::snprintf(text, sizeof(text), "%.3f/%zu", double(reading.peak) / 1e6,
                          reading.allocations);
            std::fprintf(out, " %14s", text);
        }
        std::fprintf(out, "\n");
    }
}

// -------------------------------------------------------------------------------- the cases apart

static const scene_case* const suites[] = {scene_six,  scene_removal, scene_profile,
                                           scene_tags, scene_tree,    scene_frames};

static std::string case_name(const scene_case& item, bool tuned)
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
static bool case_has_tuned(const scene_case& item)
{
    return item.suite == std::string("six") && item.count >= 100000 && item.reference_peak != 0;
}

static void benchmark_case(benchmark::State& state, const scene_case* item, bool tuned)
{
    double seconds = 0;
    double operations = 0;
    for (auto _ : state) {
        scene_run run = {};
        run.count = item->count;
        run.variant = item->variant;
        run.tuned = tuned;
        settle(item->count);
        item->run(&run);
        state.SetIterationTime(run.seconds);
        seconds += run.seconds;
        operations += double(run.operations);
    }
    state.counters["ns"] = seconds * 1e9 / operations;
    state.counters["operations"] = operations;
}

static void add_cases(bool full)
{
    for (const scene_case* suite : suites) {
        for (const scene_case* item = suite; item->name != nullptr; item++) {
            for (bool tuned : {false, true}) {
                if ((tuned && !case_has_tuned(*item)) || (item->full && !full)) {
                    continue;
                }
                auto* made = benchmark::RegisterBenchmark(case_name(*item, tuned).c_str(),
                                                          benchmark_case, item, tuned);
                made->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
                if (suite == scene_tags) {
                    made->Repetitions(3); // seconds each
                }
            }
        }
    }
}

// What a case asks its allocator for, counted in a run of its own.
static scene_run count_case(const scene_case& item)
{
    scene_run run = {};
    run.count = item.count;
    run.variant = item.variant;
    run.counted = true;
    item.run(&run);
    return run;
}

static void print_six(const bench_table& table, std::FILE* out)
{
    std::fprintf(out, "\n%-26s %8s %8s %9s | %7s | %11s %11s | %6s %6s\n", "six tests", "ms",
                 "tuned", "reference", "ratio", "peak bytes", "reference", "calls", "ref.");
    for (const scene_case* item = scene_six; item->name != nullptr; item++) {
        const bench_cell* plain = table.cell(case_name(*item, false));
        const bench_cell* tuned = table.cell(case_name(*item, true));
        if (plain == nullptr) {
            continue;
        }
        double operations = plain->operations * 1e-6;
        double best = tuned != nullptr ? tuned->median() : plain->median();
        scene_run counted = count_case(*item);
        std::fprintf(out, "%-26s %8.2f %8s %9.1f | %7.3f | %11zu %11zu | %6zu %6zu\n", item->name,
                     plain->median() * operations,
                     tuned != nullptr ? bench_number(tuned->median() * operations).c_str() : "-",
                     item->reference * 1e3, best * operations / (item->reference * 1e3),
                     counted.peak, item->reference_peak, counted.allocations,
                     item->reference_allocations);
    }
}

static void print_cases(const bench_table& table, const scene_case* suite, const char* title,
                        std::FILE* out)
{
    bool begun = false;
    for (const scene_case* item = suite; item->name != nullptr; item++) {
        const bench_cell* cell = table.cell(case_name(*item, false));
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
            scene_run counted = count_case(*item);
            std::fprintf(out, "  %u tags, %.1f MB at most, %zu allocations", item->variant,
                         double(counted.peak) * 1e-6, counted.allocations);
        }
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
            const bench_cell* cell = table.cell(case_name(item[k], false));
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
                 "sparse", "matrix", "clustered", "packed");
    for (uint32_t size : {8u, 16u, 24u, 32u, 64u, 256u}) {
        for (double share : {1.0, 0.5, 0.1, 0.01}) {
            double values = 1e6 * share;
            scene_density spread = {1000000, size, share, true, false, 0, 0, 0};
            scene_density clustered = {1000000, size, share, false, false, 0, 0, 0};
            scene_density packed = {1000000, size, share, true, true, 0, 0, 0};
            scene_density_measure(&spread);
            scene_density_measure(&clustered);
            scene_density_measure(&packed);
            std::fprintf(out, "%4u bytes, %5.1f %% have it      %8.1f %8.1f | %9.1f %9.1f %9.1f\n",
                         size, share * 100, double(spread.linear) / values,
                         double(spread.sparse) / values, double(spread.measured) / values,
                         double(clustered.measured) / values, double(packed.measured) / values);
        }
    }
}

static bool take_option(int* argc, char** argv, const char* option)
{
    for (int k = 1; k < *argc; k++) {
        if (std::strcmp(argv[k], option) == 0) {
            std::memmove(&argv[k], &argv[k + 1], size_t(*argc - k) * sizeof(char*));
            --*argc;
            return true;
        }
    }
    return false;
}

int main(int argc, char** argv)
{
    bool full = take_option(&argc, argv, "--full");
    // Defaults that the command line may overrule: it comes behind them.
    std::vector<char*> arguments = {argv[0]};
    std::string defaults[] = {"--benchmark_repetitions=9",
                              "--benchmark_enable_random_interleaving=true"};
    for (std::string& option : defaults) {
        arguments.push_back(option.data());
    }
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = int(arguments.size());
    arguments.push_back(nullptr);
    benchmark::AddCustomContext("compiler", __VERSION__);
    benchmark::AddCustomContext("flags", BENCH_FLAGS);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 2;
    }
    add_table();
    add_cases(full);
    if (full) {
        add_sizes();
    }
    bench_table table;
    if (benchmark::RunSpecifiedBenchmarks(&table) == 0) {
        return 2;
    }
    table.print(stdout);
    if (table.cell("create_2/sett") != nullptr) {
        print_memory(stdout);
    }
    if (table.cell("six/create/1000000/sett") != nullptr) {
        print_six(table, stdout);
    }
    print_cases(table, scene_removal, "removing all values of a type", stdout);
    print_profiles(table, stdout);
    print_cases(table, scene_tags, "toggling tags", stdout);
    print_cases(table, scene_tree, "trees", stdout);
    print_cases(table, scene_frames, "frames, on so many threads", stdout);
    if (full && table.cell("create_2/sett") != nullptr) {
        print_density(stdout);
    }
    for (const bench_column_info& column : bench_columns) {
        if (column.find == nullptr) {
            std::printf("%s was not found when this was built: its column is empty\n",
                        column.title);
        }
    }
    benchmark::Shutdown();
    return 0;
}
