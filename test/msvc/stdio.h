/* See assert.h. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
typedef struct _iobuf {
    void* placeholder;
} FILE;
FILE* __acrt_iob_func(unsigned index);
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IONBF 4
FILE* fopen(const char* path, const char* mode);
int fclose(FILE* file);
int fflush(FILE* file);
int setvbuf(FILE* file, char* buffer, int mode, size_t size);
int fseek(FILE* file, long offset, int whence);
int _fseeki64(FILE* file, long long offset, int whence);
long ftell(FILE* file);
long long _ftelli64(FILE* file);
int _fileno(FILE* file);
size_t fread(void* out, size_t size, size_t count, FILE* file);
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file);
int remove(const char* path);
int rename(const char* from, const char* to);
int printf(const char* format, ...);
int fprintf(FILE* file, const char* format, ...);
int snprintf(char* out, size_t size, const char* format, ...);
int vsnprintf(char* out, size_t size, const char* format, va_list arguments);
int vfprintf(FILE* file, const char* format, va_list arguments);
int sscanf(const char* text, const char* format, ...);
int fputs(const char* text, FILE* file);
int fputc(int byte, FILE* file);
int puts(const char* text);
