// bench_main.cpp: runs the scenes under Google Benchmark and prints the table.
//
//   sett_bench [--full] [--quick] [--facts=<file>] [--seconds=<n>] [option of Google Benchmark]...
//
// A benchmark is called <row>/<column>; with --full also <row>/<column>/<entities>; the cases of
// scene_case.h <suite>/<case>/<count>/<sett or sett_tuned>. Repetitions of all benchmarks are run
// in random order, so that a noisy minute falls on all of them alike. How far it is goes to the
// standard error. --facts writes what the report needs beside the times (bench_facts.cpp). When
// --seconds are over, only what was never run is run, so that a slow machine has fewer repetitions
// of some rather than a longer wait. With --quick everything is run once, over a thousand entities:
// figures without a meaning, for a test.
#include "bench_cases.h"
#include "meter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

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
    {"entt", "EnTT", scene_entt},        {"entt_group", "group", scene_entt_group},
#else
    {"entt", "EnTT", nullptr},           {"entt_group", "group", nullptr},
#endif
#if defined(BENCH_WITH_FLECS)
    {"flecs", "flecs", scene_flecs},
#else
    {"flecs", "flecs", nullptr},
#endif
    {"sett", "Sett", scene_sett},        {"sett_auto", "auto", scene_sett_auto},
    {"sett_tuned", "tuned", scene_sett},
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

// ------------------------------------------------------------------------------- how far it is

// One benchmark that may be run, and how often.
struct planned {
    std::string name;
    int repetitions;
};

static std::vector<planned> plan;
static int usual_repetitions = 9;
static int runs_planned;
static int runs_done;

static double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Counts the runs that the filter lets through. Google Benchmark does not report that one ended.
static void plan_runs()
{
    std::string filter = benchmark::GetBenchmarkFilter();
    bool inverted = !filter.empty() && filter[0] == '-';
    std::regex pattern(filter.empty() || filter == "all" ? "." : filter.substr(inverted),
                       std::regex::extended);
    for (const planned& item : plan) {
        if (std::regex_search(item.name, pattern) != inverted) {
            runs_planned += item.repetitions;
        }
    }
}

static double begun;
static double seconds_allowed = 1e9;
static std::set<std::string> runs_seen;

// Whether a benchmark is left out of this round: time is up, and it has a sample. It ends without
// counters then. State::SkipWithError is not for this: the library aborts where some of a
// benchmark's repetitions were skipped and others were not.
static bool skips(benchmark::State& state, const std::string& name)
{
    bool first = runs_seen.insert(name).second;
    if (first || now() - begun < seconds_allowed) {
        return false;
    }
    for (auto _ : state) {
        state.SetIterationTime(0);
    }
    return true;
}

static void print_progress()
{
    static double notified = begun;
    static bool terminal =
#if defined(__unix__) || defined(__APPLE__)
        isatty(2) != 0;
#else
        false;
#endif
    runs_done++;
    if (now() - notified < (terminal ? 0.5 : 15) && runs_done < runs_planned) {
        return;
    }
    notified = now();
    std::fprintf(stderr, "%s  %d of %d runs, %.0f s%s", terminal ? "\r" : "", runs_done,
                 runs_planned, notified - begun, terminal && runs_done < runs_planned ? " " : "\n");
}

// How often a benchmark is run that is not to be run more than `most` times.
static int at_most(int most)
{
    return std::min(most, usual_repetitions);
}

static benchmark::internal::Benchmark* plan_benchmark(benchmark::internal::Benchmark* made,
                                                      const std::string& name, int repetitions)
{
    plan.push_back({name, repetitions});
    return made->UseManualTime()
        ->Iterations(1)
        ->Repetitions(repetitions)
        ->Unit(benchmark::kMillisecond);
}

// -------------------------------------------------------------------------------------- the rows

// More memory than any implementation asks for; in a world of millions, than most of them do.
static void settle(uint32_t count)
{
    size_t small = size_t(192) * count;
    size_t large = (size_t(128) << 20) + size_t(64) * count;
    meter_settle(bench_quick ? size_t(1) << 20 : (size_t(16) << 20) + std::min(small, large));
}

static scene_run run_scene(int row, int column, uint32_t count)
{
    scene_run run = {};
    run.row = scene_row(row);
    run.count = bench_scaled(count);
    run.tuned = column == BENCH_TUNED;
    run.finds = column == BENCH_AUTO ? SCENE_FINDS_AUTO : SCENE_FINDS_NONE;
    bench_columns[column].find(scene_row(row))(&run);
    check(row, count, bench_columns[column].name, run.checksum);
    return run;
}

meter_reading bench_row_memory(int row, int column)
{
    meter_begin();
    (void)run_scene(row, column, bench_rows[row].count);
    return meter_end();
}

// Scenes that do not repeat themselves are repeated here, until the clock is no part of the figure.
static bool repeats_itself(int row)
{
    return row != SCENE_destroy_order && row != SCENE_destroy_random;
}

static void benchmark_scene(benchmark::State& state, int row, int column, uint32_t count,
                            const std::string& name)
{
    double seconds = 0;
    double operations = 0;
    if (skips(state, name)) {
        return;
    }
    settle(count);
    for (auto _ : state) {
        double spent = 0;
        uint32_t rounds = repeats_itself(row) ? 1 : scene_rounds(count, 50000);
        for (uint32_t round = 0; round < rounds; round++) {
            scene_run run = run_scene(row, column, count);
            spent += run.seconds;
            operations += double(run.operations);
        }
        state.SetIterationTime(spent);
        seconds += spent;
    }
    state.counters["ns"] = seconds * 1e9 / operations;
    state.counters["operations"] = operations;
    print_progress();
}

static void add_benchmark(int row, int column, uint32_t count, const std::string& name, int most)
{
    if (bench_columns[column].find != nullptr &&
        bench_columns[column].find(scene_row(row)) != nullptr) {
        plan_benchmark(
            benchmark::RegisterBenchmark(name.c_str(), benchmark_scene, row, column, count, name),
            name, at_most(most));
    }
}

static void add_table()
{
    for (int row = 0; row < SCENE_ROWS; row++) {
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            add_benchmark(row, column, bench_rows[row].count,
                          std::string(bench_rows[row].name) + "/" + bench_columns[column].name,
                          usual_repetitions);
        }
    }
}

// A tenth of the machine's memory has to be enough for a world; one entity takes up to 100 bytes.
static uint32_t largest_world()
{
    size_t machine = meter_machine();
    return bench_quick                                      ? 10000
           : machine != 0 && machine / 10 < size_t(1) << 30 ? 1000000
                                                            : 10000000;
}

// Whether the cost of an entity depends on how many there are. Where the clock is read around each
// round, fewer than 100 entities would measure the clock; an empty world of flecs takes so long
// that it begins with 1,000.
static void add_sizes()
{
    const scene_row rows[] = {SCENE_create_none, SCENE_create_2,   SCENE_iterate_1,
                              SCENE_move_1m,     SCENE_toggle_10k, SCENE_destroy_order};
    for (scene_row row : rows) {
        for (int column = 0; column < BENCH_COLUMNS; column++) {
            // EnTT's own handles have 20 bits for the number of an entity.
            bool entt = column == BENCH_ENTT || column == BENCH_GROUP;
            bool loops = row == SCENE_iterate_1 || row == SCENE_move_1m;
            uint32_t first = loops ? 1 : column == BENCH_FLECS ? 1000 : 100;
            for (uint32_t count = first;
                 count <= std::min(largest_world(), entt ? 1000000u : 10000000u); count *= 10) {
                add_benchmark(row, column, count,
                              std::string(bench_rows[row].name) + "/" + bench_columns[column].name +
                                  "/" + std::to_string(count),
                              count <= 1000000       ? 5
                              : column >= BENCH_SETT ? 3
                                                     : 2);
            }
        }
    }
}

// ------------------------------------------------------------------------------------- the cases

static void benchmark_case(benchmark::State& state, const scene_case* item, bool tuned)
{
    double seconds = 0;
    double operations = 0;
    if (skips(state, bench_case_name(*item, tuned))) {
        return;
    }
    settle(item->count);
    for (auto _ : state) {
        scene_run run = {};
        run.count = bench_scaled(item->count);
        run.variant = item->variant;
        run.tuned = tuned;
        // Seconds each, and few allocations: counted as they are measured.
        run.counted = item->suite == std::string("tags");
        item->run(&run);
        if (run.counted) {
            bench_case_remember(*item, run);
        }
        state.SetIterationTime(run.seconds);
        seconds += run.seconds;
        operations += double(run.operations);
    }
    state.counters["ns"] = seconds * 1e9 / operations;
    state.counters["operations"] = operations;
    print_progress();
}

// Beyond twice as many threads as cores there is nothing to learn.
static bool is_of_use(const scene_case& item)
{
    unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    return item.suite != std::string("frames") || item.variant <= 2 * cores;
}

static void add_cases(bool full)
{
    for (const scene_case* suite : bench_suites) {
        for (const scene_case* item = suite; item->name != nullptr; item++) {
            for (bool tuned : {false, true}) {
                if ((tuned && !bench_case_has_tuned(*item)) || !is_of_use(*item) ||
                    (item->full && (!full || bench_quick))) {
                    continue;
                }
                std::string name = bench_case_name(*item, tuned);
                int most = suite == scene_tags ? 1 : item->full ? 5 : usual_repetitions;
                plan_benchmark(
                    benchmark::RegisterBenchmark(name.c_str(), benchmark_case, item, tuned), name,
                    at_most(most));
            }
        }
    }
}

// Takes an option out of the arguments. Returns what follows its name; nullptr if it is not there.
static const char* take_option(int* argc, char** argv, const char* option)
{
    size_t length = std::strlen(option);
    for (int k = 1; k < *argc; k++) {
        if (std::strncmp(argv[k], option, length) == 0) {
            const char* value = argv[k] + length;
            std::memmove(&argv[k], &argv[k + 1], size_t(*argc - k) * sizeof(char*));
            --*argc;
            return value;
        }
    }
    return nullptr;
}

static void print_all(const bench_table& table, bool full)
{
    table.print(stdout);
    bench_print_cases(table, full, stdout);
    for (const bench_column_info& column : bench_columns) {
        if (column.find == nullptr) {
            std::printf("%s was not found when this was built: its column is empty\n",
                        column.title);
        }
    }
}

int main(int argc, char** argv)
{
    bool full = take_option(&argc, argv, "--full") != nullptr;
    bench_quick = take_option(&argc, argv, "--quick") != nullptr;
    scene_divisor = bench_quick ? 100 : 1;
    const char* facts = take_option(&argc, argv, "--facts=");
    const char* seconds = take_option(&argc, argv, "--seconds=");
    seconds_allowed = seconds != nullptr ? std::atof(seconds) : seconds_allowed;
    begun = now();
    const char* repetitions = take_option(&argc, argv, "--benchmark_repetitions=");
    usual_repetitions = bench_quick              ? 1
                        : repetitions != nullptr ? std::max(1, std::atoi(repetitions))
                                                 : usual_repetitions;
    // A default that the command line may overrule: it comes behind it.
    std::vector<char*> arguments = {argv[0]};
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    arguments.push_back(interleave.data());
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
    plan_runs();
    bench_table table;
    if (benchmark::RunSpecifiedBenchmarks(&table) == 0) {
        return 2;
    }
    print_all(table, full);
    bool written = facts == nullptr || bench_write_facts(table, facts);
    benchmark::Shutdown();
    return written ? 0 : 1;
}
