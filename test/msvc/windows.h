/* See assert.h. */
#pragma once
#define near
#define far
#define WINAPI __stdcall
#define INFINITE 0xFFFFFFFFu
#define GENERIC_WRITE 0x40000000u
#define OPEN_ALWAYS 4
#define FILE_FLAG_DELETE_ON_CLOSE 0x04000000u
#define MOVEFILE_REPLACE_EXISTING 1u
#define MOVEFILE_WRITE_THROUGH 8u
#define ERROR_SHARING_VIOLATION 32u
#define INVALID_HANDLE_VALUE ((HANDLE)(long long)-1)
typedef unsigned long DWORD;
typedef int BOOL;
typedef void* HANDLE;
typedef union LARGE_INTEGER {
    long long QuadPart;
} LARGE_INTEGER;
typedef struct SRWLOCK {
    void* Ptr;
} SRWLOCK;
typedef struct CONDITION_VARIABLE {
    void* Ptr;
} CONDITION_VARIABLE;
typedef struct SYSTEM_INFO {
    DWORD dwPageSize;
    DWORD dwNumberOfProcessors;
} SYSTEM_INFO;
typedef struct NT_TIB {
    void* ExceptionList;
    void* StackBase;
    void* StackLimit;
} NT_TIB;
typedef DWORD(WINAPI* LPTHREAD_START_ROUTINE)(void* argument);
#define MEM_COMMIT 0x1000
#define MEM_RESERVE 0x2000
#define MEM_RELEASE 0x8000
#define PAGE_READWRITE 4
void* VirtualAlloc(void* at, size_t size, DWORD type, DWORD protect);
BOOL VirtualFree(void* at, size_t size, DWORD type);
BOOL MoveFileExA(const char* from, const char* to, DWORD flags);
HANDLE CreateFileA(const char* path, DWORD access, DWORD share, void* security, DWORD how,
                   DWORD flags, HANDLE template);
BOOL CloseHandle(HANDLE handle);
DWORD GetLastError(void);
BOOL QueryPerformanceFrequency(LARGE_INTEGER* out);
BOOL QueryPerformanceCounter(LARGE_INTEGER* out);
void Sleep(DWORD milliseconds);
unsigned short CaptureStackBackTrace(DWORD skip, DWORD capacity, void** out, DWORD* hash);
struct _TEB* NtCurrentTeb(void);
void GetSystemInfo(SYSTEM_INFO* out);
void InitializeSRWLock(SRWLOCK* lock);
void InitializeConditionVariable(CONDITION_VARIABLE* condition);
void AcquireSRWLockExclusive(SRWLOCK* lock);
void ReleaseSRWLockExclusive(SRWLOCK* lock);
BOOL SleepConditionVariableSRW(CONDITION_VARIABLE* condition, SRWLOCK* lock, DWORD milliseconds,
                               unsigned long flags);
void WakeAllConditionVariable(CONDITION_VARIABLE* condition);
HANDLE CreateThread(void* security, size_t stack, LPTHREAD_START_ROUTINE body, void* argument,
                    DWORD flags, DWORD* id);
DWORD WaitForSingleObject(HANDLE handle, DWORD milliseconds);
