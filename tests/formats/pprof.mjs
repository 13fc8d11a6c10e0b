// SPDX-License-Identifier: BSD-2-Clause
//
// pprof.mjs PACKAGE FILE: reads a .pb.gz with the npm package pprof-format and prints JSON: the
// samples, the CPU time, and the samples by innermost function, by thread and by status.
import fs from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const [library, file] = process.argv.slice(2);
const { Profile } = createRequire(import.meta.url)(library);
const p = Profile.decode(gunzipSync(fs.readFileSync(file)));
const text = (i) => p.stringTable.strings[Number(i)];
const functions = new Map(p.function.map((f) => [Number(f.id), text(f.name)]));
const locations = new Map(p.location.map((l) => [Number(l.id), functions.get(Number(l.line[0].functionId))]));
const out = {
	types: p.sampleType.map((t) => `${text(t.type)}/${text(t.unit)}`),
	samples: 0,
	cpu: 0,
	period: Number(p.period),
	self: {},
	threads: {},
	statuses: {},
	labels: [],
	mappings: p.mapping.map((m) => [text(m.filename), text(m.buildId)]),
};
const labels = new Set();
const add = (to, key, n) => { to[key] = (to[key] ?? 0) + n; };
for (const s of p.sample) {
	const n = Number(s.value[0]);
	const label = Object.fromEntries(s.label.map((l) => [text(l.key), l.str ? text(l.str) : Number(l.num)]));
	out.samples += n;
	out.cpu += Number(s.value[1] ?? 0);
	add(out.self, s.locationId.length ? locations.get(Number(s.locationId[0])) : "", n);
	add(out.threads, label.tid, n);
	add(out.statuses, label.status, n);
	for (const key of Object.keys(label)) labels.add(key);
}
out.labels = [...labels].sort();
console.log(JSON.stringify(out));
