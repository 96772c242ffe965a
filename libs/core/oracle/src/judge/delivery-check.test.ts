import { describe, expect, test } from '@jest/globals';
import { type Delivery, DeliveryCheck } from './delivery-check.ts';
import type { LogSource, OutputRecord, PartitionHistory } from '../logs/history.ts';
import { Findings, type VerificationReport } from './report.ts';

const SUMMARY = { incarnation: '1-40', revision: 0, reason: 'TIMEOUT', countsByType: { HEARTBEAT: 2, VIEW: 1 } };

function delivery(payload: object | string, more: Partial<Delivery> = {}): Delivery {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return { id: '1-40/0', payload: Buffer.from(text), attempt: 1, line: 1, ...more };
}

/** What is found where the output of partition 1 holds one close, at offset 9. */
async function judge(deliveries: readonly Delivery[], start = 0): Promise<VerificationReport> {
  const findings = new Findings();
  const check = await DeliveryCheck.of(deliveries, findings);
  const record = { offset: 9, summary: SUMMARY } as unknown as OutputRecord;
  const parts = [{ records: [record], batches: [] }];
  const output: LogSource<OutputRecord> = {
    ...{ topic: 'out', start },
    read: () => Promise.resolve(parts.shift()),
    hanging: () => Promise.resolve([]),
  };
  const watched = check.watch({ partition: 1, output } as unknown as PartitionHistory);
  while ((await watched.output.read()) !== undefined);
  check.finish();
  return findings.report();
}

describe('[V10] deliveries', () => {
  test('[V10] of a committed close, as often as it takes, in any order of fields', async () => {
    const { reason, ...others } = SUMMARY;
    const again = delivery(SUMMARY, { attempt: 2, line: 2 });
    expect(await judge([delivery(SUMMARY), again])).toMatchObject({
      violations: [],
      reach: { deliveries: 2, redeliveries: 1 },
    });
    const turned = { ...others, reason, countsByType: { VIEW: 1, HEARTBEAT: 2 }, heldMs: null };
    expect((await judge([delivery(turned)])).violations).toEqual([]);
  });

  test('[V10] what is wrong is said with the line of the ledger and the place on the output', async () => {
    const other = delivery({ ...SUMMARY, reason: 'ENDED' }, { attempt: 2, line: 8 });
    expect((await judge([delivery(SUMMARY), other])).violations).toEqual([
      {
        ...{ rule: 'V10', topic: 'out', partition: 1, offset: 9, key: undefined },
        what: 'the close 1-40/0 was delivered with another payload in line 8 than in line 1',
      },
    ]);
    const [violation] = (await judge([delivery(SUMMARY, { id: '1-41/0', line: 5, attempt: 3 })])).violations;
    expect(violation).toMatchObject({ partition: 1, offset: undefined });
    expect(violation!.what).toBe('the close 1-41/0 was delivered (line 5, attempt 3), and was never committed');
  });

  test.each([['thanks'], ['[]'], ['null']])('[V10] a payload «%s» is no summary', async (payload) => {
    expect((await judge([delivery(payload)])).violations[0]!.what).toContain('is no JSON object');
  });

  test('[V10] where the output no longer has its beginning, a close that is not met is undecided', async () => {
    const gone = delivery(SUMMARY, { id: '1-2/0' });
    const report = await judge([gone], 5);
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([expect.stringContaining('the output no longer has its beginning')]);
    // Of another partition this one tells nothing.
    expect((await judge([{ ...gone, id: '7-2/0' }], 5)).violations).toHaveLength(1);
  });
});
