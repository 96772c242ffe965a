import { statusDetached } from '@flatline/dev-broker';
import type { DeveloperCommands } from '../program.ts';
import { addBenchCommand } from './bench.ts';
import { addBrokerCommand } from './broker.ts';
import { addDemoCommand } from './demo.ts';
import { addSimulateCommand } from './simulate.ts';

export const developerCommands: DeveloperCommands = {
  add: (program, context) => {
    addDemoCommand(program, context);
    addBrokerCommand(program, context);
    addSimulateCommand(program, context);
    addBenchCommand(program, context);
  },
  localBroker: () => statusDetached(),
};
