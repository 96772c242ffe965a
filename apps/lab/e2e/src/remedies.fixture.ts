// Follows the program's advice as somebody in a hurry would: word for word.
import { expect } from '@jest/globals';
import type { Finished } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import type { Scenario } from './scenario.fixture.ts';

export const FAILED_CHECK = 1;
export const USAGE = 2;

export const ended = (...args: readonly string[]): Promise<Finished> => flatline(args).finished;

export function checkTopics({ config }: Scenario): Promise<Finished> {
  return ended('topics', 'check', '--config', config);
}

export function createTopics({ config }: Scenario): Promise<Finished> {
  return succeed(['topics', 'create', '--config', config, '--replication', '1', '--partitions', '2']);
}

/** The commands printed as remedies, each once, verbatim. */
export function commandsIn({ stdout, stderr }: Finished): string[][] {
  const printed = [
    ...`${stdout}\n${stderr}`.matchAll(/remedy: (?:(?:set|if no other) .*: )?flatline (topics [^;\n]+)/gm),
  ].map(([, args = '']) => args);
  return [...new Set(printed)].map((args) => args.split(' '));
}

export async function obey(printed: Finished): Promise<void> {
  const commands = commandsIn(printed);
  expect(commands.length).toBeGreaterThan(0);
  for (const args of commands) await succeed(args);
}
