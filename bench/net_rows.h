/* net_rows.h: the parts of sett_net_bench. Each prints a table. */
#ifndef SETT_BENCH_NET_ROWS_H
#define SETT_BENCH_NET_ROWS_H

/* net_state.c: eight frames back; one client that sees all, beside packing by hand. */
void net_print_rollback(void);
void net_print_hand(void);

/* net_cubes.c: a pile of cubes that a physics library moves. Where libode is missing, the program
 * has a function in its place that says so. */
void net_print_cubes(void);

/* Microseconds, of this machine. */
double net_us(void);

#endif
