// SPDX-License-Identifier: BSD-2-Clause

// Functions that are inlined into each other across files, functions with cold parts, local
// functions, exceptions.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace shop
{
struct item {
	std::string name;
	int price;
};

template <typename T> static inline T twice(T x)
{
	return x + x;
}

class basket
{
	std::vector<item> items;

      public:
	void add(const char *name, int price)
	{
		items.push_back({ name, twice(price) });
	}
	static int cost(const item &i)
	{
		if (i.price < 0)
			abort();
		return twice(i.price) + (int)i.name.size();
	}
	__attribute__((noinline)) int total() const
	{
		int sum = 0;
		for (auto &i : items)
			sum += cost(i);
		return sum;
	}
};
} // namespace shop

__attribute__((noinline)) int counts(const char *text)
{
	std::map<std::string, int> m;
	std::string word;
	int most = 0;

	for (; *text; text++)
		if (*text == ' ') {
			m[word]++;
			word.clear();
		} else {
			word += *text;
		}
	for (auto &p : m)
		most = std::max(most, p.second);
	try {
		if (most == 3)
			throw most;
	} catch (int i) {
		return -i;
	}
	return most;
}

__attribute__((noinline)) static int local_only(int a)
{
	struct local {
		static int f(int x)
		{
			return x * 3;
		}
	};
	auto g = [a](int y) { return y / (a + 1); };

	return local::f(a) + g(77);
}

int main(int argc, char **argv)
{
	shop::basket b;
	std::vector<int> v(argc + 30);

	for (int i = 0; i < argc; i++)
		b.add(argv[i], i);
	for (auto &x : v)
		x = rand() % 100;
	std::sort(v.begin(), v.end(), [](int a, int c) { return a % 10 < c % 10; });
	printf("%d %d %d %d\n", b.total(), counts("a b a c"), v[0], local_only(argc));
}
