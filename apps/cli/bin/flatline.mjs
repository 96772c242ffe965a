#!/usr/bin/env node
// `npx flatline` in a checkout: plain JavaScript, so that it starts on any Node. The sources run, on the pinned one, with the
// commands for developers. What a package starts lies in ../package.
import { fileURLToPath, URL } from 'node:url';
import { launch } from '../../../scripts/launch.mjs';

const main = fileURLToPath(new URL('../src/developer/main.ts', import.meta.url));
launch('node', ['--conditions=@flatline/source', main, ...process.argv.slice(2)]);
