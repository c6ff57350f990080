// bench_cases.h: the cases of scene_case.h: their names as benchmarks, what they ask their
// allocators for, their part of what is printed, and the facts that a report needs beside times.
#pragma once

#include "bench_table.h"
#include "meter.h"
#include "scene_case.h"

#include <cstdio>
#include <string>

constexpr int BENCH_SUITES = 6;
extern const scene_case* const bench_suites[BENCH_SUITES];

// Everything once and small: to see whether it works.
extern bool bench_quick;

// How many entities a scene is really run with.
uint32_t bench_scaled(uint32_t count);

std::string bench_case_name(const scene_case& item, bool tuned);
bool bench_case_has_tuned(const scene_case& item);

// What a case asks its allocator for, counted in a run of its own; the first time that it is asked.
const scene_run& bench_case_counted(const scene_case& item);

// Spares that run: a measured one counted as it went.
void bench_case_remember(const scene_case& item, const scene_run& run);

// Peak bytes and allocations of a row, by the meter. Runs the scene (bench_main.cpp).
meter_reading bench_row_memory(int row, int column);

// The rows for which memory is reported.
constexpr scene_row BENCH_MEMORY_ROWS[] = {SCENE_create_2, SCENE_churn};

// Everything that is printed below the table.
void bench_print_cases(const bench_table& table, bool full, std::FILE* out);

// Writes a CSV file: what the benchmarks are called, their goals, their memory. False if it cannot.
bool bench_write_facts(const bench_table& table, const char* path);
