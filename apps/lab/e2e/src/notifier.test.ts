// Outputs to webhooks on a real broker, signed.
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { Notifying } from './notifying.fixture.ts';

const SESSIONS = { timeoutMs: 1_000 };

let notifying: Notifying;
afterEach(async () => {
  await killAll();
  await notifying.dispose();
});

describe('webhooks of sessions that have closed', () => {
  test('[N1] are signed, and say what the output says under an id of its own', async () => {
    notifying = await Notifying.create([{}], SESSIONS);
    const { name, scenario, sink } = notifying;
    const processor = notifying.start();
    await notifying.beat('anna', 'bert');
    await sink.until(2);
    const { summaries } = await scenario.outputs((all) => all.summaries.length === 2);
    for (const { body, id, isVerified, headers } of sink.received) {
      expect(isVerified).toBe(true);
      expect(headers['content-type']).toBe('application/json');
      const { type, timestamp, data } = JSON.parse(body) as {
        type: string;
        timestamp: string;
        data: { incarnation: string; reason: string };
      };
      expect([type, data.reason]).toEqual(['session.closed', 'TIMEOUT']);
      const said = summaries.find(({ summary }) => summary.incarnation === data.incarnation)!;
      expect([id, timestamp]).toEqual([`${name}:${data.incarnation}:0`, new Date(said.timestamp).toISOString()]);
    }
    expect(await scenario.stop(processor)).toBe(0);
  });
});
