/* check.hpp: what check.h is for tests in C++: the first check that fails ends the program. */
#ifndef SETT_TEST_CHECK_HPP
#define SETT_TEST_CHECK_HPP

#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                                                 \
    ((__VA_ARGS__)                                                                                 \
         ? (void)0                                                                                 \
         : (std::fflush(stdout),                                                                   \
            std::fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #__VA_ARGS__),          \
            std::_Exit(1)))

#endif
