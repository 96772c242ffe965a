import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortInUse } from './ports.ts';
import { startFailure } from './start-failure.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** The plan of a process that printed these lines. */
function processWith(...lines: readonly string[]): Parameters<typeof startFailure>[0][number] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'broker.log'), `${lines.join('\n')}\n`);
  return { name: 'node-1', command: 'java', args: [], folder, console: join(folder, 'console.log') };
}

const exit = { name: 'node-1', how: 'exit code 1' };

describe('a failed start', () => {
  test.each([
    [
      'KafkaException: Socket server failed to bind to 127.0.0.1:9092: Address already in use.',
      /port 9092 .*is in use/,
    ],
    ['Port 8081 seems to be in use by another process.', /port 8081 .*is in use/],
    ['java.net.BindException: Address already in use', /a port .*is in use/],
    ['java.io.IOException: No space left on device', /disk is full/],
    ['Failed to acquire lock on file .lock in /data. A Kafka instance may be running', /another broker uses/],
    ['Could not reserve enough space for 786432KB object heap', /memory is short/],
  ])('for %j says what to do', (line, remedy) => {
    expect(startFailure([processWith('INFO something before', line)], exit).message).toMatch(remedy);
  });

  test('for anything else makes no remedy up', () => {
    const line = 'ERROR Exiting Kafka due to fatal exception';
    expect(startFailure([processWith(line)], exit).message).toBe(`node-1 did not start: exit code 1\n${line}`);
  });

  test('shows how it ended and the last lines', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const { message } = startFailure([processWith(...lines)], exit);
    expect(message).toContain('node-1 did not start: exit code 1');
    expect(message).toContain('line 99');
    expect(message).not.toContain('line 50');
  });

  test('for a port is told apart from others: that one is tried again on another port', () => {
    const bind = 'Socket server failed to bind to 127.0.0.1:40123: Address already in use.';
    expect(startFailure([processWith(bind)], exit)).toBeInstanceOf(PortInUse);
    expect(startFailure([processWith('No space left on device')], exit)).not.toBeInstanceOf(PortInUse);
  });
});
