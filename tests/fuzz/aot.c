// SPDX-License-Identifier: BSD-2-Clause

/* Makes the input readable as a name that NativeAOT mangled. The last line is the assembly. */

#include "fuzz.h"

#include "../../inspect/dotnet/aot_name.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = strndup((const char *)data, size), *assembly = strrchr(text, '\n');
	char name[256];

	if (assembly)
		*assembly++ = 0;
	for (size_t room = 1; room <= sizeof(name); room *= 4)
		if (aot_name(text, assembly, name, room))
			FUZZ_MUST(strlen(name) < room && name[0],
				  "the name has %zu bytes, the room %zu", strlen(name), room);
	FUZZ_MUST(aot_assembly_len(text) < strlen(text) + 1,
		  "the assembly is longer than the name");
	free(text);
	return 0;
}
