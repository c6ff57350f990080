/* common.c: version, texts of status codes, and logging to stderr. */
#include "base/platform.h"

#include <stdio.h>
#include <string.h>

#define LOG_BYTES (sizeof("sett: warning: \n") + 1024) /* twice a world's longest message */

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

void setti_copy_sized(void* to, size_t to_size, const void* from, size_t from_size)
{
    SETTI_ASSERT(to != NULL && from != NULL);
    size_t size = SETTI_MIN(to_size, from_size);
    memcpy(to, from, size);
    memset((unsigned char*)to + size, 0, to_size - size);
}

setti_text_place setti_text_place_of(const char* text, size_t at)
{
    setti_text_place place = {1, 1};
    for (size_t k = 0; k < at; k++) {
        bool ends_line = text[k] == '\n';
        bool begins_character = ((unsigned char)text[k] & 0xC0) != 0x80;
        place.line += ends_line;
        place.column = ends_line ? 1 : place.column + begins_character;
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
        strcat(text, "\n"); /* has room: snprintf left one byte */
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
