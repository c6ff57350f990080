// bench_table.h: collects what Google Benchmark measured, and prints it as one table.
#pragma once

#include "scene.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

enum bench_column {
    BENCH_RAW,
    BENCH_PICO,
    BENCH_ENTT,
    BENCH_GROUP,
    BENCH_FLECS,
    BENCH_SETT,
    BENCH_AUTO,
    BENCH_TUNED,
    BENCH_COLUMNS
};

struct bench_column_info {
    const char* name;                // in the names of benchmarks
    const char* title;               // in the table
    scene_fn (*find)(scene_row row); // NULL: not built
};

struct bench_row_info {
    const char* name;
    const char* title;
    uint32_t count;
    double goal;
    double goal_tuned;
};

extern const bench_column_info bench_columns[BENCH_COLUMNS];
extern const bench_row_info bench_rows[SCENE_ROWS];

// The samples of one cell: ns an operation, one of each repetition.
struct bench_cell {
    std::vector<double> samples;
    double operations = 0; // in a repetition

    double median() const;
    double spread() const; // half the distance between the quartiles, as a share of the median
};

// A number in at most three figures; "-" if there is none.
std::string bench_number(double value);

// Stands in for Google Benchmark's own display.
class bench_table : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

    // The table of all rows at their own size. Prints nothing if none was run.
    void print(std::FILE* out) const;

    // What was measured under this name; nullptr if nothing was.
    const bench_cell* cell(const std::string& name) const;

  private:
    std::map<std::string, bench_cell> cells_; // "row/column" or "row/column/count"
};
