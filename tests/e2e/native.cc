// SPDX-License-Identifier: BSD-2-Clause

/*
 * native-cc is the C++ counterpart of native.c: exceptions that propagate
 * through frames, virtual calls, library templates that call functions of the
 * program, and threads of the library. Built without frame pointers; native.py
 * lists its stacks.
 */

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))
#define KEEP __asm__ volatile("" ::: "memory")

static volatile uint64_t sink;

static inline void spin(int n)
{
	uint64_t x = sink;

	for (int i = 0; i < n; i++)
		x = x * 6364136223846793005u + (x >> 29);
	sink = x;
}

/* Spins in a destructor while an exception propagates. */
struct Guard {
	NOINLINE ~Guard()
	{
		spin(100000);
		KEEP;
	}
};

NOINLINE void thrower(int n)
{
	Guard guard;

	if (n)
		thrower(n - 1);
	else
		throw std::runtime_error("thrown");
	KEEP;
}

NOINLINE void run_throw()
{
	try {
		thrower(5);
	} catch (const std::runtime_error &) {
		spin(50000);
	}
	KEEP;
}

/* Does nothing but throw, so most of the time is spent in libgcc's unwinder. */
NOINLINE void thrower_quick(int n)
{
	std::unique_ptr<int> p(new int(n));

	if (n)
		thrower_quick(n - 1);
	else
		throw 1;
	sink += (uint64_t)*p;
	KEEP;
}

NOINLINE void run_throw_quick()
{
	for (int i = 0; i < 5; i++) {
		try {
			thrower_quick(10);
		} catch (int) {
			KEEP;
		}
	}
}

struct Shape {
	virtual ~Shape() = default;
	virtual void work() = 0;
};

struct Round : Shape {
	NOINLINE void work() override
	{
		spin(200000);
		KEEP;
	}
};

struct Boxed : Shape {
	std::unique_ptr<Shape> inner = std::make_unique<Round>();

	NOINLINE void work() override
	{
		inner->work();
		KEEP;
	}
};

NOINLINE void run_virtual()
{
	static std::unique_ptr<Shape> shape = std::make_unique<Boxed>();

	shape->work();
	KEEP;
}

NOINLINE bool slow_less(const std::string &a, const std::string &b)
{
	spin(2000);
	return a < b;
}

NOINLINE void run_sort()
{
	std::vector<std::string> v;

	for (int i = 0; i < 60; i++)
		v.push_back("a rather long string, of number " + std::to_string(i * 7919 % 60));
	std::sort(v.begin(), v.end(), slow_less);
	sink += v[0].size();
	KEEP;
}

NOINLINE void called_back(int n)
{
	spin(n);
	KEEP;
}

NOINLINE void run_function()
{
	static std::function<void(int)> f = [](int n) {
		called_back(n);
		KEEP;
	};

	f(200000);
	KEEP;
}

NOINLINE void run_map()
{
	std::map<std::string, int> m;

	for (int i = 0; i < 200; i++)
		m[std::to_string(i * 7919 % 1000)] = i;
	sink += m.size();
	KEEP;
}

NOINLINE void worker()
{
	for (;;) {
		spin(300000);
		std::this_thread::sleep_for(std::chrono::milliseconds(3));
	}
}

int main()
{
	std::thread thread(worker);

	std::puts("running");
	std::fflush(stdout);
	for (;;) {
		run_throw();
		run_throw_quick();
		run_virtual();
		run_sort();
		run_function();
		run_map();
	}
}
