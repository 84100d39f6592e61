// The one function of bcryptprimitives.dll that Rust calls on Windows, by the older function that does the same. For Wine 8.
#include <stddef.h>
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *bytes, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t length) { return SystemFunction036(bytes, (unsigned long)length); }
