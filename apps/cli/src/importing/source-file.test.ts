import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SurveyCounter } from './file-survey.ts';
import { type ImportFormat, type NumberedResult, readSourceFile } from './source-file.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flatline-import-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function read(text: string | Uint8Array, format: ImportFormat): Promise<NumberedResult[]> {
  const path = join(folder, 'source');
  writeFileSync(path, text);
  const results: NumberedResult[] = [];
  for await (const chunk of readSourceFile(path, format)) results.push(...chunk);
  return results;
}

const names = { key: 'id', time: 'at' };
const keyOf = ({ parsed }: NumberedResult): string | undefined =>
  parsed.kind === 'record' ? parsed.record.key : undefined;

describe('a source file', () => {
  test.each([
    ['id,at\na,1\nb,2\n', { kind: 'csv', names }],
    ['{"id":"a","at":1}\n{"id":"b","at":2}\n', { kind: 'jsonl', names }],
  ] as const)('gzipped it is read as it was before', async (text, format) => {
    expect(await read(gzipSync(text), format)).toEqual(await read(text, format));
    await expect(read(gzipSync(text).subarray(0, -9), format)).rejects.toMatchObject({ code: 'Z_BUF_ERROR' });
  });

  test('CSV: quoted fields, a byte order mark, line breaks inside fields', async () => {
    const results = await read('\ufeffid,at,note,__proto__\n"a, b",1,"x\ny",p\nc,2,,\n', { kind: 'csv', names });
    expect(results.map(keyOf)).toEqual(['a, b', 'c']);
    expect(results[0]).toEqual({
      line: 3,
      parsed: {
        kind: 'record',
        record: {
          key: 'a, b',
          timestamp: 1000,
          fields: new Map([
            ['note', 'x\ny'],
            ['__proto__', 'p'],
          ]),
        },
      },
    });
  });

  test('CSV: a row of another width and a broken quote are bad, the rows around them are read', async () => {
    const results = await read('id,at\na,1\nb,2,3\nc"x",3\nd,4\n', { kind: 'csv', names });
    results.sort((a, b) => a.line - b.line);
    expect(results.map(keyOf)).toEqual(['a', undefined, undefined, 'd']);
    expect(results.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  test('JSON lines: blank lines count as lines and are no records', async () => {
    const results = await read('{"id":"a","at":1}\n\n  \nnonsense\n{"id":"b","at":2}', { kind: 'jsonl', names });
    expect(results.map(({ line }) => line)).toEqual([1, 4, 5]);
    expect(results.map(keyOf)).toEqual(['a', undefined, 'b']);
  });

  test('more rows than one chunk come in order', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `k${i},${i}`);
    const results = await read(['id,at', ...rows].join('\n'), { kind: 'csv', names });
    expect(results.map(keyOf)).toEqual(rows.map((_, i) => `k${i}`));
  });

  test('a file that is not there rejects', async () => {
    const reading = readSourceFile(join(folder, 'absent'), { kind: 'csv', names });
    await expect(reading.next()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the survey of a file', () => {
  test('counts records and bad lines, keeps the first few bad ones and the extent of the times', async () => {
    const lines = ['{"id":"a","at":50}', '{"id":"b","at":20}', ...Array.from({ length: 12 }, () => 'x')];
    const survey = new SurveyCounter(1_000_000, 1);
    for (const result of await read(lines.join('\n'), { kind: 'jsonl', names })) survey.add(result);
    expect(survey.survey()).toMatchObject({ records: 2, badLines: 12, times: { earliest: 20_000, latest: 50_000 } });
    expect(survey.survey().firstBadLines.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('[C6] a stamp more than an hour ahead is bad here, since it would be refused later', () => {
    const survey = new SurveyCounter(1_000_000, 1);
    const at = (timestamp: number): NumberedResult => ({
      line: 1,
      parsed: { kind: 'record', record: { key: 'a', timestamp, fields: new Map() } },
    });
    survey.add(at(1_000_000 + 3_600_000));
    survey.add(at(1_000_000 + 3_600_001));
    expect(survey.survey()).toMatchObject({ records: 1, badLines: 1 });
  });

  test('[C6] so is one before 1970, and one that no date can show', async () => {
    const survey = new SurveyCounter(1.5e12, 1);
    const lines = ['1969', '1970', '0000'].map((year) => `h - - [01/Jan/${year}:00:00:00 +0000] "GET /" 200 1`);
    for (const result of await read(lines.join('\n'), { kind: 'apache' })) survey.add(result);
    const record = { key: 'a', timestamp: 8.64e15 + 1, fields: new Map() };
    survey.add({ line: 9, parsed: { kind: 'record', record } });
    expect(survey.survey()).toMatchObject({ records: 1, badLines: 3, times: { earliest: 0, latest: 0 } });
    expect(survey.survey().firstBadLines).toEqual([
      { line: 1, reason: 'is stamped 1969-01-01T00:00:00.000Z, before 1970: Kafka has no such times' },
      { line: 3, reason: 'is stamped 0000-01-01T00:00:00.000Z, before 1970: Kafka has no such times' },
      { line: 9, reason: 'is stamped 8640000000000001 (ms), more than an hour ahead of now' },
    ]);
  });
});
