// bench_facts.cpp: writes what the report needs beside the times, which are in Google Benchmark's
// own file. One line for each of these, as CSV; texts stand in quotes:
//
//     row,<name>,<title>,<entities>,<goal>,<tuned goal>
//     column,<name>,<title>,<1 if it was built>
//     memory,<row>,<column>,<peak bytes>,<allocations>
//     case,<suite>,<name>,<benchmark>,<entities>,<variant>,<seconds>,<peak bytes>,<allocations>
//     counted,<benchmark>,<peak bytes>,<allocations>
//
// The figures of a case are the reference's, 0 for none; what was counted is Sett's.
#include "bench_cases.h"

static bool was_measured(const bench_table& table, int row, int column)
{
    std::string name = std::string(bench_rows[row].name) + "/" + bench_columns[column].name;
    return table.cell(name) != nullptr;
}

static void write_rows(const bench_table& table, std::FILE* out)
{
    for (const bench_row_info& row : bench_rows) {
        std::fprintf(out, "row,%s,\"%s\",%u,%g,%g\n", row.name, row.title, row.count, row.goal,
                     row.goal_tuned);
    }
    for (const bench_column_info& column : bench_columns) {
        std::fprintf(out, "column,%s,\"%s\",%d\n", column.name, column.title,
                     column.find != nullptr);
    }
    for (scene_row row : BENCH_MEMORY_ROWS) {
        for (int column = 0; column < BENCH_COLUMNS && meter_works(); column++) {
            if (was_measured(table, row, column)) {
                meter_reading reading = bench_row_memory(row, column);
                std::fprintf(out, "memory,%s,%s,%zu,%zu\n", bench_rows[row].name,
                             bench_columns[column].name, reading.peak, reading.allocations);
            }
        }
    }
}

// Counting is another run: only of cases for which memory is reported.
static bool is_counted(const scene_case* suite)
{
    return suite == scene_six || suite == scene_tags;
}

static void write_cases(const bench_table& table, std::FILE* out)
{
    for (const scene_case* suite : bench_suites) {
        for (const scene_case* item = suite; item->name != nullptr; item++) {
            std::string name = bench_case_name(*item, false);
            if (table.cell(name) == nullptr) {
                continue;
            }
            std::fprintf(out, "case,%s,\"%s\",\"%s\",%u,%u,%g,%zu,%zu\n", item->suite, item->name,
                         name.c_str(), item->count, item->variant, item->reference,
                         item->reference_peak, item->reference_allocations);
            if (is_counted(suite)) {
                const scene_run& counted = bench_case_counted(*item);
                std::fprintf(out, "counted,\"%s\",%zu,%zu\n", name.c_str(), counted.peak,
                             counted.allocations);
            }
        }
    }
}

bool bench_write_facts(const bench_table& table, const char* path)
{
    std::FILE* out = std::fopen(path, "w");
    if (out == nullptr) {
        std::fprintf(stderr, "bench: cannot write %s\n", path);
        return false;
    }
    write_rows(table, out);
    write_cases(table, out);
    bool written = std::ferror(out) == 0;
    return std::fclose(out) == 0 && written;
}
