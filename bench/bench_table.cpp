// bench_table.cpp: see bench_table.h.
#include "bench_table.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

static double quantile(std::vector<double> samples, double share)
{
    if (samples.empty()) {
        return 0;
    }
    std::sort(samples.begin(), samples.end());
    double at = share * double(samples.size() - 1);
    size_t low = size_t(at);
    size_t high = std::min(low + 1, samples.size() - 1);
    return samples[low] + (at - double(low)) * (samples[high] - samples[low]);
}

double bench_cell::median() const
{
    return quantile(samples, 0.5);
}

double bench_cell::spread() const
{
    double middle = median();
    return middle > 0 ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle : 0;
}

bool bench_table::ReportContext(const Context&)
{
    return true;
}

void bench_table::ReportRuns(const std::vector<Run>& runs)
{
    for (const Run& run : runs) {
        auto found = run.counters.find("ns");
        if (run.run_type == Run::RT_Iteration && found != run.counters.end()) {
            bench_cell& cell = cells_[run.run_name.function_name];
            cell.samples.push_back(found->second.value);
            cell.operations = run.counters.at("operations").value;
        }
    }
}

const bench_cell* bench_table::cell(const std::string& name) const
{
    auto found = cells_.find(name);
    return found != cells_.end() ? &found->second : nullptr;
}

std::string bench_number(double value)
{
    char text[32];
    if (value <= 0) {
        return "-";
    }
    const char* format = value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
    std::snprintf(text, sizeof(text), format, value);
    return text;
}

static std::string ratio(double value, double to)
{
    return value > 0 && to > 0 ? bench_number(value / to) : "-";
}

void bench_table::print(std::FILE* out) const
{
    bool rows = false;
    for (const auto& cell : cells_) {
        for (const bench_row_info& row : bench_rows) {
            rows = rows || cell.first.rfind(std::string(row.name) + "/", 0) == 0;
        }
    }
    if (!rows) {
        return;
    }
    std::fprintf(out, "%-41s", "ns an operation");
    for (const bench_column_info& column : bench_columns) {
        std::fprintf(out, " %7s", column.title);
    }
    std::fprintf(out, " |  to raw     | to best peer| spread | goal\n%-41s", "");
    for (int k = 0; k < BENCH_COLUMNS; k++) {
        std::fprintf(out, " %7s", "");
    }
    std::fprintf(out, " |  Sett tuned |  Sett tuned |        |  Sett tuned\n");
    for (const bench_row_info& row : bench_rows) {
        double value[BENCH_COLUMNS];
        double spread = 0;
        bool any = false;
        for (int k = 0; k < BENCH_COLUMNS; k++) {
            const bench_cell* found = cell(std::string(row.name) + "/" + bench_columns[k].name);
            value[k] = found != nullptr ? found->median() : 0;
            any = any || found != nullptr;
            if (k >= BENCH_SETT && found != nullptr) {
                spread = std::max(spread, found->spread());
            }
        }
        if (!any) {
            continue;
        }
        double peer = 0;
        for (int k = BENCH_PICO; k <= BENCH_FLECS; k++) {
            if (value[k] > 0 && (peer <= 0 || value[k] < peer)) {
                peer = value[k];
            }
        }
        std::fprintf(out, "%-41s", row.title);
        for (int k = 0; k < BENCH_COLUMNS; k++) {
            std::fprintf(out, " %7s", bench_number(value[k]).c_str());
        }
        std::fprintf(out, " | %5s %5s | %5s %5s | %5.1f%% | %5s%c%5s%c\n",
                     ratio(value[BENCH_SETT], value[BENCH_RAW]).c_str(),
                     ratio(value[BENCH_TUNED], value[BENCH_RAW]).c_str(),
                     ratio(value[BENCH_SETT], peer).c_str(),
                     ratio(value[BENCH_TUNED], peer).c_str(), spread * 100,
                     bench_number(row.goal).c_str(),
                     row.goal > 0 && value[BENCH_SETT] > row.goal ? '!' : ' ',
                     bench_number(row.goal_tuned).c_str(),
                     row.goal_tuned > 0 && value[BENCH_TUNED] > row.goal_tuned ? '!' : ' ');
    }
}
