/* See assert.h. */
#pragma once
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (-(float)(INFINITY * 0.0f))
#define HUGE_VAL ((double)INFINITY)
short _dtest(double* x);
short _fdtest(float* x);
int setti_stub_class(double x);
#define isnan(x) (setti_stub_class((double)(x)) == 2)
#define isinf(x) (setti_stub_class((double)(x)) == 1)
#define isfinite(x) (setti_stub_class((double)(x)) <= 0)
#define signbit(x) (setti_stub_class((double)(x)) < -1)
double fabs(double x);
double floor(double x);
double ceil(double x);
double round(double x);
double trunc(double x);
double sqrt(double x);
double pow(double x, double y);
double fmod(double x, double y);
double ldexp(double x, int by);
double frexp(double x, int* by);
double log(double x);
double log2(double x);
double exp(double x);
float fabsf(float x);
float floorf(float x);
float sqrtf(float x);
float roundf(float x);
double nextafter(double x, double y);
float nextafterf(float x, float y);
