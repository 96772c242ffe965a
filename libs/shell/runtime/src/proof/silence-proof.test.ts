import { expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { ProofByClockRecord } from './silence-proof.ts';
import { Prover } from './prover.ts';

const TOOK_MS = 500;

/** How long the next request waits, where the last one took `TOOK_MS` and timers fired this much too late. */
async function waitAfter(lateMs: number): Promise<number> {
  const { time } = new Simulation({ seed: 1 });
  const clock = {
    wallMs: () => 0,
    monotonicMs: () => time.nowMs,
    after: (ms: number, run: () => void) => time.after(ms + lateMs, run),
  };
  const append = (): Promise<number> =>
    new Promise((resolve) =>
      time.after(TOOK_MS, () => {
        resolve(0);
      }),
    );
  const unused = (): void => undefined;
  const ports = { clock, proofs: { append }, log: { info: unused, warn: unused, error: unused } };
  const rules = { timestampType: 'LogAppendTime', proofIntervalMs: 100, unheardMs: 0, tickMs: 10 } as const;
  const prover = new Prover(rules, time.nowMs);
  const input = { topic: 'in', partition: 0 };
  const proof = new ProofByClockRecord({ input, timestampType: 'LogAppendTime', ports }, prover);
  await time.complete(proof.ask(undefined));
  prover.heard({ from: 0, to: 1, receivedAtMs: time.nowMs, isRecent: true });
  const advice = proof.advise({ clock: 1_000, earliestDue: 900, live: true, closed: 1 }, time.nowMs);
  return advice.kind === 'wait' ? advice.delayMs : 0;
}

test('[C2] brokers that took long are asked twice as far apart; a process that was late itself asks at once', async () => {
  expect(await waitAfter(0)).toBe(TOOK_MS);
  expect(await waitAfter(TOOK_MS - 60)).toBe(0);
});
