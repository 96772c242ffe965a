import { afterEach, expect, test } from '@jest/globals';
import type { Outcome } from '@flatline/deliveries';
import { systemClock } from '@flatline/system';
import { DELIVERY } from '../delivery.fixture.ts';
import { CommandSender } from './command-sender.ts';

const shown: string[] = [];
afterEach(() => {
  shown.length = 0;
});

function attempt(...command: readonly string[]): Promise<Outcome> {
  const show = (text: string): void => {
    shown.push(text);
  };
  const parts = { clock: systemClock, timeoutMs: 500, environment: () => process.env, show };
  return new CommandSender({ ...parts, command }).attempt(DELIVERY, new AbortController().signal);
}

test('[N2] a program that ends with 0 has taken it; another exit code is a failure with what it said', async () => {
  expect(await attempt('sh', '-c', 'test "$(cat)" = \'{"a":1}\'')).toEqual({ kind: 'delivered' });
  expect(await attempt('sh', '-c', 'echo why >&2; exit 3')).toMatchObject({
    kind: 'failed',
    attempt: { status: 3, answer: 'why\n' },
  });
});

test.each([
  ['is none', ['/nonesuch']],
  ['lies within a file', ['/etc/passwd/x']],
  ['has a NUL among its arguments', ['cat', 'a\0b']],
])('[N2] a program that %s is a failed attempt', async (_, command) => {
  expect(await attempt(...command)).toMatchObject({ kind: 'failed', attempt: { error: expect.any(String) } });
});

test('[N2] one whose child keeps its output open is over at timeoutMs, and the child with it', async () => {
  const outcome = await attempt('sh', '-c', 'sleep 20; true');
  expect(outcome).toMatchObject({ kind: 'failed', attempt: { error: 'not over within 500 ms' } });
  expect((outcome as Extract<Outcome, { kind: 'failed' }>).attempt.ms).toBeLessThan(10_000);
});

test('[N2] what a program prints is shown as whole lines, once it is over, and never with the lines of others', async () => {
  await Promise.all([attempt('cat'), attempt('sh', '-c', 'echo x; sleep 0.1; echo y')]);
  expect(shown.toSorted()).toEqual(['x\ny\n', '{"a":1}\n']);
});
