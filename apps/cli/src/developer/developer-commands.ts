import type { DeveloperCommands } from '../program.ts';
import { addBenchCommand } from './bench.ts';
import { addDemoCommand } from './demo.ts';

export const developerCommands: DeveloperCommands = {
  add: (program, context) => {
    addDemoCommand(program, context);
    addBenchCommand(program, context);
  },
};
