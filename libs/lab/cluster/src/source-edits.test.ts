import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { editedSources, editingArguments, type SourceEdit } from './source-edits.ts';

const FILE = 'libs/core/base/src/time.ts';
const editOf = (from: string, to: string): SourceEdit => ({ file: FILE, from, to });

function run(edits: readonly SourceEdit[]): string {
  const program = "console.log((await import('@flatline/base')).INSTANT_MAX)";
  const flags = ['--conditions=@flatline/source', ...editingArguments(edits), '--input-type=module', '--eval', program];
  const folder = new URL('..', import.meta.url);
  return execFileSync(process.execPath, flags, { cwd: folder }).toString().trim();
}

describe('edits of sources', () => {
  test('a program runs with them, and without any as it is', () => {
    expect(run([])).toBe('8640000000000000');
    expect(run([editOf('INSTANT_MAX: Millis = ', 'INSTANT_MAX: Millis = 42 || ')])).toBe('42');
  });

  test('of one file are made one after another', () => {
    const edits = [editOf('INSTANT_MAX: Millis', 'INSTANT_MAX: One'), editOf('INSTANT_MAX: One', 'INSTANT_MAX: Two')];
    expect([...editedSources(edits)]).toEqual([[FILE, expect.stringContaining('INSTANT_MAX: Two')]]);
  });

  test.each([
    ['nowhere', 'no such text', '0 times'],
    ['in several places', 'Millis', 'times, wanted once'],
  ])('one whose text is %s is refused before anything is started', (_, from, why) => {
    expect(() => editingArguments([editOf(from, '')])).toThrow(why);
  });
});
