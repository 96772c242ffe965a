#!/usr/bin/env node
// Plain JavaScript that any Node reads, so that one which is too old is told so.
import * as nodeModule from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major >= 24 || (major === 22 && minor >= 15)) {
  // Compiled code is read from the cache: half of the time that a command takes to begin.
  nodeModule.enableCompileCache();
  await import('../dist/main.js');
} else {
  console.error(
    `flatline: needs Node 22.15 or newer of its line, or 24; found ${process.versions.node}. ` +
      'Install one beside it, which npx flatline then runs on: npm install -D node@24',
  );
  process.exitCode = 2;
}
