import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { portClash, remedyFor, startFailure } from './start-failure.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** The plan of a process that printed these lines. */
function processWith(...lines: readonly string[]): Parameters<typeof startFailure>[0][number] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'broker.log'), `${lines.join('\n')}\n`);
  return { name: 'node-1', command: 'java', args: [], folder, console: join(folder, 'console.log') };
}

describe('the remedy', () => {
  test.each([
    ['KafkaException: Socket server failed to bind to 127.0.0.1:9092: Address already in use.', /port 9092 is in use/],
    ['java.io.IOException: No space left on device', /disk is full/],
    ['Failed to acquire lock on file .lock in /data. A Kafka instance may be running', /another broker uses/],
    ['Could not reserve enough space for 786432KB object heap', /memory is short/],
  ])('for %j is known', (line, remedy) => {
    expect(remedyFor(['INFO something before', line])).toMatch(remedy);
  });

  test('for anything else is not made up', () => {
    expect(remedyFor(['ERROR Exiting Kafka due to fatal exception'])).toBeUndefined();
  });
});

describe('a failed start', () => {
  test('shows how it ended and the last lines', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const { message } = startFailure([processWith(...lines)], { name: 'node-1', how: 'exit code 1' });
    expect(message).toContain('node-1 did not start: exit code 1');
    expect(message).toContain('line 99');
    expect(message).not.toContain('line 50');
  });

  test('for a port taken meanwhile is tried again, for anything else it is not', () => {
    const exit = { name: 'node-1', how: 'exit code 1' };
    const bind = 'Socket server failed to bind to 127.0.0.1:40123: Address already in use.';
    expect(portClash(startFailure([processWith(bind)], exit))).toBe(true);
    expect(portClash(startFailure([processWith('No space left on device')], exit))).toBe(false);
    expect(portClash(new Error('port 1 is in use: stop what listens there'))).toBe(false);
  });
});
