/* test_threadless.c: the library where the system has no threads, as on WebAssembly: the parts that
 * differ are compiled into this program, as if nothing but C were known. */
#undef __linux__
#undef __unix__
#undef __APPLE__

#include "base/platform.c"
#include "run/thread.c"

#include "worlds.h"

static void threadless_add(uint32_t begin, uint32_t end, void* context)
{
    uint32_t* sum = context;
    *sum += end - begin;
}

static void a_pool_is_the_calling_thread(void)
{
    for (uint32_t workers = 0; workers < 3; workers++) {
        sett_threads* threads = sett_threads_create(workers, NULL);
        CHECK(threads != NULL);
        CHECK_EQ(sett_threads_count(threads), 1);
        sett_tasks tasks = sett_threads_tasks(threads);
        uint32_t sum = 0;
        void* handle = tasks.enqueue(threadless_add, 10, 1, &sum, tasks.user);
        CHECK(handle == NULL); /* it is done already */
        CHECK_EQ(sum, 10);
        CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
    }
}

static void text_is_printed(void)
{
    setti_platform_print("", 0);
}

TEST_MAIN(TEST(a_pool_is_the_calling_thread), TEST(text_is_printed))
