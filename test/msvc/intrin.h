/* See assert.h. The intrinsics are functions that nothing defines: none of clang's own. */
#pragma once
unsigned char _BitScanForward64(unsigned long* at, unsigned long long word);
unsigned char _BitScanReverse64(unsigned long* at, unsigned long long word);
long _InterlockedExchange(long volatile* at, long value);
long _InterlockedCompareExchange(long volatile* at, long value, long expected);
long _InterlockedExchangeAdd(long volatile* at, long value);
long long _InterlockedExchangeAdd64(long long volatile* at, long long value);
long _InterlockedOr(long volatile* at, long value);
long long _InterlockedOr64(long long volatile* at, long long value);
void _mm_pause(void);
