/* A part of a C library for clang in MSVC's mode: what sett.c takes of it. Nothing links it. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
void _wassert(const unsigned short* text, const unsigned short* file, unsigned line);
#define assert(condition) ((void)(!!(condition) || (_wassert(0, 0, 0), 0)))
#endif
#define static_assert _Static_assert
