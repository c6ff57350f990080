/* pages.h: pages of docs/ that a test writes and keeps up to date. SETT_WRITE=1 writes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_PAGES_H
#define SETT_TEST_PAGES_H

#include "check.h"

static inline void check_page(const char* path, const char* page, size_t length)
{
    static char is[64000];
    CHECK(length < sizeof(is));
    if (check_setting("SETT_WRITE", 0) != 0) {
        FILE* file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(page, 1, length, file) == length && fclose(file) == 0);
    }
    FILE* file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s is missing: SETT_WRITE=1 writes it", path);
    size_t size = fread(is, 1, sizeof(is) - 1, file);
    fclose(file);
    size_t at = 0;
    while (at < size && at < length && is[at] == page[at]) {
        at++;
    }
    CHECK_MSG(size == length && at == size,
              "%s, byte %zu, is \"%.60s\", not \"%.60s\": SETT_WRITE=1 writes it", path, at,
              is + at, page + at);
}

#endif
