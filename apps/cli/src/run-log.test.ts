import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { Writable } from 'node:stream';
import { consoleLog } from './run-log.ts';
import { Console } from './terminal/console.ts';

function open(json = false) {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const { clock } = new Simulation({ seed: 1 }).start('host').ports;
  const console = new Console({ stdout: stream, stderr: stream, env: {}, json });
  return { lines, console, clock };
}

describe('the log of a run', () => {
  test('shows whole numbers, texts, and the message of an error', () => {
    const { lines, console, clock } = open();
    consoleLog(console, clock).warn('task runs', {
      takeoverMs: 232.6369340000001,
      from: 'x',
      error: new Error('gone'),
    });
    expect(lines).toEqual(['00:00:00 warn  task runs takeoverMs=233 from=x error=gone\n']);
  });

  test('as JSON says the same', () => {
    const { lines, console, clock } = open(true);
    consoleLog(console, clock).info('task runs', { takeoverMs: 232.6369340000001 });
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', message: 'task runs', takeoverMs: 233 });
  });

  test('holds nothing below its least level, and nothing after its end', () => {
    const { lines, console, clock } = open();
    const end = new AbortController();
    const log = consoleLog(console, clock, { least: 'warn', until: end.signal });
    log.info('one');
    log.warn('two');
    end.abort();
    log.error('three');
    expect(lines).toEqual(['00:00:00 warn  two\n']);
  });
});
