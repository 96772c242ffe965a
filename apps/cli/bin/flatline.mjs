#!/usr/bin/env node
// `npx flatline`: plain JavaScript, so that it starts on any Node; what it starts runs on the pinned one, from sources
// where they are, else as built.
import { existsSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import { launch } from '../../../scripts/launch.mjs';

const source = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const entry = existsSync(source) ? ['--conditions=@flatline/source', source] : [built];
launch('node', [...entry, ...process.argv.slice(2)]);
