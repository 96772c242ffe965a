import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { Writable } from 'node:stream';
import { Console, type OutputStream } from './console.ts';
import { ProgressDisplay } from './progress-display.ts';

class Screen extends Writable implements OutputStream {
  readonly isTTY: boolean;
  columns = 80;
  rows = 24;
  text = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

function open(isTTY: boolean, json = false, env: Record<string, string> = {}, isPiped = !isTTY) {
  const stdout = new Screen(!isPiped);
  const stderr = new Screen(isTTY);
  return { stdout, stderr, console: new Console({ stdout, stderr, env, json }) };
}

describe('a console', () => {
  test('commands in its messages are as they are typed where npx runs this process', () => {
    const said = (byNpx: boolean): string => {
      const stream = new Screen(false);
      const console = new Console({ stdout: stream, stderr: stream, env: {}, json: false, byNpx });
      console.note('flatline: ask flatline doctor, (flatline topics create) or npx flatline status; ./flatline run');
      console.note('topic flatline does not exist');
      console.result({}, '{"note":"remedy: flatline topics create"}');
      console.result({}, console.typed('flatline status'));
      return stream.text;
    };
    expect(said(false)).toBe(
      'flatline: ask flatline doctor, (flatline topics create) or npx flatline status; ./flatline run\n' +
        'topic flatline does not exist\n{"note":"remedy: flatline topics create"}\nflatline status\n',
    );
    expect(said(true)).toBe(
      'flatline: ask npx flatline doctor, (npx flatline topics create) or npx flatline status; ./flatline run\n' +
        'topic flatline does not exist\n{"note":"remedy: flatline topics create"}\nnpx flatline status\n',
    );
  });

  test('CO2 with JSON, standard output holds one value per line and nothing else', () => {
    const { stdout, stderr, console } = open(true, true);
    console.note('a word');
    console.draw('a picture');
    console.result({ text: 'a\u001bb' }, 'never shown');
    console.result({ n: 1 }, 'never shown');
    console.endRegion('clear');
    expect(stdout.text).toBe('{"text":"a\\u001bb"}\n{"n":1}\n');
    expect(stderr.text).toBe('a word\n');
  });

  test.each([
    [false, {}, false],
    [true, {}, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('colors: on a terminal %p with %j it is %p', (isTTY, env, isColored) => {
    expect(open(isTTY, false, env).console.colors.isColorSupported).toBe(isColored);
  });

  test('colors: results in a pipe have none, whatever standard error is; forced, they have', () => {
    const { console } = open(true, false, {}, true);
    expect([console.colors.isColorSupported, console.liveColors.isColorSupported]).toEqual([false, true]);
    const { console: other } = open(false, false, {}, false);
    expect([other.colors.isColorSupported, other.liveColors.isColorSupported]).toEqual([true, false]);
    expect(open(true, false, { FORCE_COLOR: '1' }, true).console.colors.isColorSupported).toBe(true);
  });

  test('a heading stands over results on a terminal, in no pipe and in no JSON', () => {
    const shown = [open(true), open(true, false, {}, true), open(true, true)].map(({ console, stdout, stderr }) => {
      console.heading('closed at');
      return stdout.text + stderr.text;
    });
    expect(shown).toEqual([expect.stringContaining('closed at'), '', '']);
    expect(shown[0]).not.toContain('u001b');
  });

  test.each([
    [{}, false, 80],
    [{ COLUMNS: '120' }, false, 120],
    [{ COLUMNS: 'many' }, false, 80],
    [{ COLUMNS: '120' }, true, Infinity],
  ])('results are as wide as the terminal (%j), and whole in a pipe (%p): %d', (env, isPiped, width) => {
    expect(open(true, false, env, isPiped).console.width).toBe(width);
  });

  test('a terminal of no size cuts nothing', () => {
    const { console, stdout, stderr } = open(true);
    for (const screen of [stdout, stderr]) [screen.columns, screen.rows] = [0, 0];
    expect([console.width, console.columns, console.rows]).toEqual([Infinity, 100, Infinity]);
  });

  test('CO1 without a terminal there is no live region and no color', () => {
    for (const { stderr, console } of [
      open(false),
      open(true, false, { TERM: 'dumb' }),
      open(true, false, { CI: '1' }),
    ]) {
      console.draw('a picture');
      console.endRegion('keep');
      expect({ text: stderr.text, red: console.colors.red('x') }).toEqual({ text: '', red: 'x' });
    }
  });

  test('CO1 on a terminal the region is redrawn in place, and lines scroll above it', () => {
    const { stdout, stderr, console } = open(true);
    console.draw('picture one');
    console.result({}, 'a result');
    console.draw('picture two');
    console.endRegion('keep');
    expect(stdout.text).toBe('a result\n');
    expect(stderr.text).toContain('picture one');
    // Erased before the line was written, drawn again after.
    const between = stderr.text.slice(stderr.text.indexOf('one'), stderr.text.indexOf('picture two'));
    expect(between).toContain('\u001b[');
  });

  test('NO_COLOR is heeded', () => {
    expect(open(true, false, { NO_COLOR: '1' }).console.colors.red('x')).toBe('x');
    expect(open(true).console.colors.red('x')).not.toBe('x');
  });

  test('[I3] notes keep their lines and cannot control the terminal', () => {
    const { stderr, console } = open(false);
    console.note('one\ntwo \u001b[2J C:\\x');
    expect(stderr.text).toBe('one\ntwo \\u001b[2J C:\\x\n');
  });
});

describe('progress', () => {
  test('without a terminal it is a line every five seconds', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { clock } = simulation.start('host').ports;
    const { stderr, console } = open(false);
    const display = new ProgressDisplay(console, clock);
    for (let second = 1; second <= 12; second += 1) {
      await simulation.time.runFor(1000);
      display.update({ doing: 'importing', unit: 'record', done: second, total: 12 });
    }
    display.end();
    expect(stderr.text.trimEnd().split('\n')).toEqual([
      'importing: 5 of 12 records, 41 %, 1/s, 7 s left',
      'importing: 10 of 12 records, 83 %, 1/s, 2 s left',
    ]);
  });

  test('on a terminal it is drawn in place and gone at the end', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { clock } = simulation.start('host').ports;
    const { stderr, console } = open(true);
    const display = new ProgressDisplay(console, clock);
    await simulation.time.runFor(200);
    display.update({ doing: 'importing', unit: 'record', done: 5, total: 10 });
    expect(stderr.text).toContain('5 of 10 records');
    const drawn = stderr.text.length;
    display.end();
    expect(stderr.text.slice(drawn)).toContain('\u001b[');
  });
});
