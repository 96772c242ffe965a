// `flatline` in a checkout: the product's commands, and those that need the lab. No package contains it.
import { runProcess } from '../run-process.ts';
import { developerCommands } from './developer-commands.ts';

await runProcess({ env: process.env, developer: developerCommands });
