/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Readable names of NativeAOT's symbols. The symbols are from programs that the .NET SDK 10.0 has
 * published; the names are those that the .NET runtime gives the same methods.
 */

#include <stdlib.h>
#include <string.h>

#include "../../inspect/dotnet/aot_name.h"
#include "../check.h"

#define CORE "S_P_CoreLib_System_"

static const struct {
	const char *mangled, *name; /* name is NULL if the symbol stays mangled */
} rows[] = {
	{ "app_Program__Main", "Program.Main" },
	{ "app_Shop_Core_Cart_2_Line<System___Canon__Int64>__Sum",
	  "Shop.Core.Cart<__Canon, long>.Line.Sum" },
	{ "app_Shop_Core_Cart_2<System___Canon__Int64>__get_Item",
	  "Shop.Core.Cart<__Canon, long>.get_Item" },
	{ CORE "Collections_Generic_ArraySortHelper_1<Int32>__IntroSort",
	  "System.Collections.Generic.ArraySortHelper<int>.IntroSort" },
	{ "System_Linq_System_Linq_Enumerable__Select<Int32__System___Canon>",
	  "System.Linq.Enumerable.Select<int, __Canon>" },
	{ "String__Concat_6", "System.String.Concat" },
	{ "Bool__TryParse", "System.Boolean.TryParse" },
	{ "UInt8__ToString_2", "System.Byte.ToString" },
	{ CORE "Text_StringBuilder___ctor_3", "System.Text.StringBuilder..ctor" },
	{ CORE "Random_XoshiroImpl___cctor", "System.Random.XoshiroImpl..cctor" },
	{ CORE "SpanHelpers__Fill<__Array<UInt8>>", "System.SpanHelpers.Fill<byte[]>" },
	{ CORE "Span_1<UInt8<Pointer>>__Clear", "System.Span<byte*>.Clear" },
	/* lambdas, local functions, iterators and async methods */
	{ "app_Program___c___Main_b__3_0", "Program.Main.<lambda_3_0>" },
	{ "app_Program___c__DisplayClass3_0___Main_b__2", "Program.Main.<lambda_2>" },
	{ "app_Program___Main_g__Local_3_6", "Program.Main.Local" },
	{ CORE "Threading_Monitor___c____cctor_b__22_0",
	  "System.Threading.Monitor..cctor.<lambda_22_0>" },
	{ "app_Program__WaitAsync_d__2__MoveNext", "Program.WaitAsync" },
	{ "app_Program__Numbers_d__1__System_IDisposable_Dispose",
	  "Program.Numbers.System.IDisposable.Dispose" },
	{ "System_Linq_System_Linq_Lookup_2__GetEnumerator_d__13<Int32__System___Canon>__MoveNext",
	  "System.Linq.Lookup<int, __Canon>.GetEnumerator" },
	{ CORE "Runtime_CompilerServices_AsyncTaskMethodBuilder_1_AsyncStateMachineBox_1"
	       "<Int64__app_Program__WaitAsync_d__2>__MoveNext",
	  "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<long>."
	  "AsyncStateMachineBox<WaitAsync>.MoveNext" },
	{ CORE "Enum___c__62_1<UInt64>___FormatNumberAsHex_b__62_0",
	  "System.Enum.FormatNumberAsHex.<lambda_62_0>" },
	/* explicit implementations */
	{ "String__System_IConvertible_ToInt16", "System.String.System.IConvertible.ToInt16" },
	{ CORE "Collections_Generic_List_1<System___Canon>"
	       "__System_Collections_Generic_IEnumerable_T__GetEnumerator",
	  "System.Collections.Generic.List<__Canon>.GetEnumerator" },
	/* stubs, and what the compiler itself adds */
	{ "unbox_Int32__CompareTo", "System.Int32.CompareTo" },
	{ "<Boxed>" CORE "Collections_Generic_List_1_Enumerator<System___Canon>__<unbox>" CORE
	  "Collections_Generic_List_1_Enumerator__get_Current",
	  "System.Collections.Generic.List.Enumerator.get_Current" },
	{ "app__Module___MainMethodWrapper", "<Module>.MainMethodWrapper" },
	{ "S_P_CoreLib__PrivateImplementationDetails___ThrowSwitch",
	  "<PrivateImplementationDetails>.ThrowSwitch" },
	{ "Internal_CompilerGenerated__Module___<DynamicInvoke>None<Bool>", NULL },
	/* a type whose own name begins with "__" */
	{ CORE "Runtime___Finalizer__DrainQueue", NULL },
	/* assemblies */
	{ "S_P_TypeLoader_Internal_TypeSystem_TypeDesc__IsGeneric",
	  "Internal.TypeSystem.TypeDesc.IsGeneric" },
	{ "Newtonsoft_Json_Newtonsoft_Json_JsonConvert__Read", "Newtonsoft.Json.JsonConvert.Read" },
	{ "Other_Company_Tool__Run", "Other.Company.Tool.Run" },
	{ "app_Shop_under_score__op_Addition", "Shop_under_score.op_Addition" },
	/* no methods */
	{ "RhNewObject", NULL },
	{ "__managed__Main", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "____", NULL },
	{ "a__", NULL },
	{ "__b", NULL },
	{ "a__<", NULL },
	{ "<>__a", NULL },
	{ "a<__b", NULL },
	{ "a_1<__Array<>__b", NULL },
	{ "a_1<__Array<>>__b", NULL },
};

static void methods_have_the_names_that_the_runtime_gives_them(void **state)
{
	char name[512];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_named = aot_name(rows[i].mangled, "app", name, sizeof(name));

		if (is_named != (rows[i].name != NULL))
			fail_msg("%s: %s", rows[i].mangled, is_named ? name : "stays mangled");
		if (is_named)
			assert_string_equal(name, rows[i].name);
	}
}

static void only_the_startup_code_has_the_name_of_the_assembly(void **state)
{
	(void)state;
	assert_int_equal(aot_assembly_len("my_app__Module___StartupCodeMain"), 6);
	assert_int_equal(aot_assembly_len("__Module___StartupCodeMain"), 0);
	assert_int_equal(aot_assembly_len("my_app__Module___StartupCodeMain_0"), 0);
	assert_int_equal(aot_assembly_len("app_Program__Main"), 0);
}

/* Each name is copied to the heap, so that sanitizers find a read beyond its end. */
static void names_truncated_at_any_byte_are_read_within_bounds(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t len = 0; len <= strlen(rows[i].mangled); len++) {
			char *cut = strndup(rows[i].mangled, len);

			for (size_t room = 1; room <= sizeof(name); room += 21)
				if (aot_name(cut, "app", name, room))
					assert_true(strlen(name) < room);
			aot_assembly_len(cut);
			free(cut);
		}
	}
}

static void deeply_nested_arguments_are_refused(void **state)
{
	char deep[4096] = "a_B", name[4096];

	(void)state;
	for (int i = 0; i < 300; i++)
		strcat(deep, "_1<a_B");
	for (int i = 0; i < 300; i++)
		strcat(deep, ">");
	strcat(deep, "__C");
	assert_false(aot_name(deep, NULL, name, sizeof(name)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_have_the_names_that_the_runtime_gives_them),
		cmocka_unit_test(only_the_startup_code_has_the_name_of_the_assembly),
		cmocka_unit_test(names_truncated_at_any_byte_are_read_within_bounds),
		cmocka_unit_test(deeply_nested_arguments_are_refused),
	};

	return CHECK_RUN(tests);
}
