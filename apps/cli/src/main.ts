import { runProcess } from './run-process.ts';

await runProcess({ env: process.env });
