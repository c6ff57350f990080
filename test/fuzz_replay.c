/* fuzz_replay.c: runs a fuzz target over files instead of a fuzzer, so that the corpus, and with it
 * what was once found, is tested with any compiler. Takes files and folders. POSIX.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static size_t replayed;

static void replay_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    uint8_t* data = NULL;
    size_t size = 0;
    size_t got;
    do {
        data = (uint8_t*)realloc(data, size + 65536);
        if (data == NULL) {
            exit(1);
        }
        got = fread(data + size, 1, 65536, file);
        size += got;
    } while (got > 0);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
}

static void replay(const char* path)
{
    DIR* folder = opendir(path);
    if (folder == NULL) {
        replay_file(path);
        return;
    }
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            replay_file(name);
        }
    }
    closedir(folder);
}

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    printf("%zu inputs replayed\n", replayed);
    return replayed == 0;
}
