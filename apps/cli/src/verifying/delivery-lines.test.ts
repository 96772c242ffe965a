import { afterAll, describe, expect, test } from '@jest/globals';
import type { Delivery } from '@flatline/oracle';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDeliveries } from './delivery-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-deliveries-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const LINE = { id: '3-17/0', attempt: 1, payload: '{"incarnation":"3-17"}' };

function read(text: string): Promise<Delivery[]> {
  writeFileSync(join(folder, 'hooks.jsonl'), text);
  return all('hooks.jsonl');
}

async function all(path: string): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for await (const delivery of readDeliveries(folder, path)) found.push(delivery);
  return found;
}

describe('readDeliveries', () => {
  test('[V10] text and base64 are the same bytes; blank lines and other fields are passed over', async () => {
    const payloadBase64 = Buffer.from(LINE.payload).toString('base64');
    const second = { id: 'visits.0-2/1', attempt: 2, payloadBase64, status: 503 };
    const [first, other, ...more] = await read(`${JSON.stringify(LINE)}\r\n\n${JSON.stringify(second)}`);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ id: '3-17/0', attempt: 1, line: 1 });
    expect(other).toMatchObject({ id: 'visits.0-2/1', attempt: 2, line: 3 });
    expect(Buffer.from(other!.payload)).toEqual(Buffer.from(first!.payload));
    expect(Buffer.from(first!.payload).toString()).toBe(LINE.payload);
  });

  test.each([
    ['{"id":"3-17/0"', 'it is no JSON object'],
    ['[1]', 'it is no JSON object'],
    [JSON.stringify({ ...LINE, id: undefined }), 'id is missing: it must be <incarnation>/<revision>'],
    [JSON.stringify({ ...LINE, id: '3-17' }), 'id is "3-17"'],
    [JSON.stringify({ ...LINE, attempt: 0 }), 'attempt is 0: it must be a whole number, 1 for the first'],
    [JSON.stringify({ ...LINE, attempt: 'first' }), 'attempt is "first"'],
    [JSON.stringify({ ...LINE, payload: undefined }), 'it has no payload'],
    [JSON.stringify({ ...LINE, payload: { a: 1 } }), 'payload is {"a":1}: it must be the body as it was sent'],
    [JSON.stringify({ ...LINE, payloadBase64: 'AA==' }), 'it has payload and payloadBase64'],
    [JSON.stringify({ ...LINE, payload: undefined, payloadBase64: 'A' }), 'payloadBase64 is not base64'],
  ])('[V10] %s is refused with file, line and what it must be', async (line, why) => {
    await expect(read(`${JSON.stringify(LINE)}\n${line}\n`)).rejects.toThrow(`--deliveries hooks.jsonl line 2: ${why}`);
  });

  test('a file that is not there, or is none, is named', async () => {
    await expect(all('none.jsonl')).rejects.toThrow(/--deliveries none.jsonl cannot be read: .*ENOENT/);
    await expect(all('.')).rejects.toThrow(/--deliveries \. cannot be read: .*EISDIR/);
  });
});
