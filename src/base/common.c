/* common.c: version, texts of status codes, and logging to stderr. */
#include "base/platform.h"

#include <stdio.h>
#include <string.h>

/* 1024 is twice the longest message of a world. */
#define LOG_BYTES (sizeof("sett: warning: \n") + 1024)

static const char* const status_names[] = {
#define STATUS_NAME(name, text) "SETT_STATUS_" #name,
    SETT_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};

static const char* const status_texts[] = {
#define STATUS_TEXT(name, text) text,
    SETT_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
};

const char* sett_status_name(sett_status status)
{
    return (unsigned)status < SETT_STATUS_COUNT ? status_names[status] : "SETT_STATUS_?";
}

const char* sett_status_text(sett_status status)
{
    return (unsigned)status < SETT_STATUS_COUNT ? status_texts[status] : "unknown status";
}

void setti_copy_sized(void* out, size_t out_size, const void* original, size_t original_size)
{
    SETTI_ASSERT(out != NULL && original != NULL);
    size_t size = SETTI_MIN(out_size, original_size);
    memcpy(out, original, size);
    memset((unsigned char*)out + size, 0, out_size - size);
}

setti_text_place setti_text_place_of(const char* text, size_t offset)
{
    setti_text_place place = {1, 1};
    for (size_t k = 0; k < offset; k++) {
        bool ends_line = text[k] == '\n';
        /* in UTF-8, the later bytes of a character begin with the bits 10 */
        bool begins_character = ((unsigned char)text[k] & 0xC0) != 0x80;
        if (ends_line) {
            place.line++;
            place.column = 1;
        } else if (begins_character) {
            place.column++;
        }
    }
    return place;
}

int sett_version(void)
{
    return SETT_VERSION;
}

void sett_log_stderr(void* user, sett_log_level level, const char* message)
{
    static const char* const levels[] = {"info", "warning", "error"};
    (void)user;
    if (level != SETT_LOG_INFO) {
        char text[LOG_BYTES];
        snprintf(text, sizeof(text) - 1, "sett: %s: %s", levels[level], message);
        strcat(text, "\n"); /* fits, because snprintf has left one byte */
        setti_platform_print(text, strlen(text));
    }
}

void setti_report_null(const char* call, const char* what)
{
    char message[192];
    snprintf(message, sizeof(message),
             "%.60s: `%.20s` is NULL - check the result of what creates it", call, what);
    sett_log_stderr(NULL, SETT_LOG_ERROR, message);
}

void sett_log_silent(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    (void)message;
}
