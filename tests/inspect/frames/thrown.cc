// SPDX-License-Identifier: BSD-2-Clause

// Frames that exceptions unwind, realigned frames, frames of variable size, and
// frames of cold functions.

extern "C" long opaque(long);
extern "C" void touch(void *);

struct held {
	long value;
	explicit held(long v) : value(v)
	{
		touch(this);
	}
	~held()
	{
		touch(this);
	}
};

static long aligned(long n)
{
	alignas(64) char bytes[256];

	touch(bytes);
	return opaque(n) + bytes[n & 255];
}

static long of_any_size(long n)
{
	char *bytes = static_cast<char *>(__builtin_alloca(n));

	touch(bytes);
	return bytes[n / 2];
}

long thrown(long n)
{
	held a(n), b(n + 1);

	if (__builtin_expect(n > 1000, 0)) {
		touch(&a);
		throw n;
	}
	alignas(32) long local[4] = { n, a.value, b.value, opaque(n) };

	touch(local);
	return aligned(n) + of_any_size(n) + local[n & 3];
}

long caught(long n)
{
	held a(n);

	try {
		held b(n);

		return thrown(n) + b.value;
	} catch (long x) {
		return opaque(x) + a.value;
	} catch (...) {
		touch(&n);
		throw;
	}
}
