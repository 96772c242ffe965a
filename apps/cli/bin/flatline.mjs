#!/usr/bin/env node
// `npx flatline`: plain JavaScript, so that it starts on any Node. In a checkout the sources run, on the pinned one, with the
// commands for developers; a package holds what is built of the others.
import { existsSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';

const checkout = fileURLToPath(new URL('../src/developer/main.ts', import.meta.url));
if (existsSync(checkout)) {
  const { launch } = await import('../../../scripts/launch.mjs');
  launch('node', ['--conditions=@flatline/source', checkout, ...process.argv.slice(2)]);
} else if (Number(process.versions.node.split('.')[0]) >= 24) await import('../dist/main.js');
else {
  console.error(`flatline: needs Node 24 or newer, found ${process.versions.node}`);
  process.exitCode = 1;
}
