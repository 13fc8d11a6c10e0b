// SPDX-License-Identifier: BSD-2-Clause
//
// compare_source_map.cjs PRINT_SOURCE_MAP TRACE_MAPPING MAP...: compares our reader with
// @jridgewell/trace-mapping (its module is TRACE_MAPPING) at every segment of each map, at the
// columns beside it, and at positions without a segment; prints the differences. SPOIL=1 in the
// environment shifts our columns, so that everything must differ.

'use strict';

const { execFileSync } = require('child_process');
const fs = require('fs');

const [program, traceMapping, ...files] = process.argv.slice(2);
const { AnyMap, decodedMappings, originalPositionFor } = require(traceMapping);
const spoil = process.env.SPOIL ? 1 : 0;
let n_asked = 0, n_differ = 0;

function placesOf(map) {
	const places = new Map();
	const add = (line, column) => places.set(`${line} ${column}`, [line, column]);
	decodedMappings(map).forEach((segments, line) => {
		add(line, 0);
		add(line, 1e6);
		for (const [column] of segments)
			for (const at of [column - 1, column, column + 1])
				if (at >= 0)
					add(line, at);
	});
	add(decodedMappings(map).length + 1, 0);
	return [...places.values()];
}

for (const file of files) {
	const map = new AnyMap(fs.readFileSync(file, 'utf8').replace(/^\)]}'[^\n]*\n/, ''), null);
	const places = placesOf(map);
	const input = places.map(([line, column]) => `${line} ${column + spoil}`).join('\n');
	const answers = execFileSync(program, [file], { input, maxBuffer: 1 << 30 }).toString().split('\n');
	places.forEach(([line, column], i) => {
		const want = originalPositionFor(map, { line: line + 1, column });
		// Ours has no NUL characters, and leaves "." and ".." to who resolves the URL.
		const [source, ...rest] = JSON.parse(answers[i]);
		const ours = JSON.stringify([source && normal(source), ...rest]);
		const theirs = JSON.stringify([want.source && normal(want.source.replace(/\0/g, '')),
			want.line, want.column, want.name]);
		n_asked++;
		if (ours !== theirs && n_differ++ < 10)
			console.log(`${file}:${line}:${column}: ${ours}, trace-mapping: ${theirs}`);
	});
}

// Without "." and empty parts; ".." takes what is before it.
function normal(url) {
	const [, origin, path] = url.match(/^([a-z-]+:\/\/[^/]*)?(.*)$/s);
	const parts = [];
	for (const part of path.split('/')) {
		if (part === '..' && parts.length && parts[parts.length - 1] !== '..')
			parts.pop();
		else if (part && part !== '.')
			parts.push(part);
	}
	return (origin ?? '') + (path[0] === '/' ? '/' : '') + parts.join('/');
}

console.log(`${files.length} maps, ${n_asked} places, ${n_differ} differ`);
process.exit(n_differ || !n_asked ? 1 : 0);
