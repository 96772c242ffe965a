import { describe, expect, test } from '@jest/globals';
import { createColors } from 'picocolors';
import { monitorLines } from './monitor-view.ts';
import { Monitor } from './monitor.ts';

const plain = createColors(false);
const TIMEOUT_MS = 3_000;

function followed(): Monitor {
  const monitor = new Monitor(TIMEOUT_MS);
  for (const [i, atMs] of [0, 400, 800].entries()) monitor.beat('anna', i === 0, atMs);
  return monitor;
}

const drawn = (monitor: Monitor, nowMs: number, columns = 76): string =>
  monitorLines(monitor.sessions(nowMs), TIMEOUT_MS, plain, columns)[0]!;

/** A line whose trace, of 30 columns, begins with so many empty ones. */
const after = (columns: number, text: string): string => `${'anna'.padEnd(14 + columns)}${text}`;

describe('sessions as they live and fall silent', () => {
  test('a trace has its beats, the present at the right, and how long it is silent', () => {
    const monitor = followed();
    expect(drawn(monitor, 800)).toBe(after(25, '╨─╨─╨  alive'));
    expect(drawn(monitor, 2_400)).toBe(after(17, '╨─╨─╨────────  silent 1.6 s of 3.0 s'));
  });

  test('a close ends it in a flat line, which stays in sight for a while', () => {
    const monitor = followed();
    monitor.close('anna', 'TIMEOUT', 3_850);
    expect(drawn(monitor, 4_200)).toBe(after(8, '╨─╨─╨───────────────━━  TIMEOUT after 3.0 s of silence'));
    monitor.beat('ben', true, 4_300);
    expect(
      monitor
        .sessions(4_300)
        .map((session) => session?.id)
        .slice(0, 3),
    ).toEqual(['anna', 'ben', undefined]);
    monitor.beat('carl', true, 6_400);
    expect(monitor.sessions(6_400)[0]!.id).toBe('carl');
  });

  test('an explicit end says so', () => {
    const monitor = followed();
    monitor.close('anna', 'ENDED', 900);
    expect(drawn(monitor, 1_000)).toMatch(/ENDED$/u);
  });

  test('as many are followed as there are lines; of others nothing is kept', () => {
    const monitor = new Monitor(TIMEOUT_MS);
    for (let i = 0; i < 1_000; i += 1) monitor.beat(`session-${i}`, true, i);
    for (let i = 0; i < 1_000; i += 1) monitor.beat('session-0', false, 1_000 + i);
    const sessions = monitor.sessions(2_000);
    expect(sessions.map((session) => session!.id)).toEqual(Array.from({ length: 8 }, (_, i) => `session-${i}`));
    expect(sessions[0]!.beatsAgoMs).toHaveLength(256);
    monitor.beat('later', false, 2_000);
    expect(monitor.sessions(2_000).some((session) => session!.id === 'later')).toBe(false);
  });

  test('one whose close is never read makes room', () => {
    const monitor = new Monitor(TIMEOUT_MS);
    for (let i = 0; i < 8; i += 1) monitor.beat(`session-${i}`, true, 0);
    monitor.beat('later', true, 30_000);
    expect(monitor.sessions(30_000)[0]!.id).toBe('later');
  });

  test('[I3] a hostile key is shown, and not obeyed; a narrow terminal gets none', () => {
    const monitor = new Monitor(TIMEOUT_MS);
    monitor.beat('\x1b[2J', true, 0);
    expect(drawn(monitor, 0)).toContain('\\u001b[2J');
    expect(monitorLines(followed().sessions(0), TIMEOUT_MS, plain, 50)).toEqual([]);
  });
});
