import { expect, test } from '@jest/globals';
import { Openings } from './openings.ts';

const ID = 'shop.visits.0';

function made() {
  const openings = new Openings();
  const dead = new Set<string>();
  let at = 0;
  /** Asks, and is given a writer of this epoch at that time; `answer` gives it. */
  const asks = (
    process: string,
  ): { readonly answer: (epoch: number, when: number) => Promise<void>; fail: () => Promise<void> } => {
    let give!: (writer: { readonly epoch: number }) => void;
    let refuse!: (error: Error) => void;
    const answered = new Promise<{ readonly epoch: number }>((resolve, reject) => ([give, refuse] = [resolve, reject]));
    const opened = openings.opened(
      ID,
      { process, isAlive: () => !dead.has(process) },
      { open: () => answered, now: () => at },
    );
    return {
      answer: async (epoch, when) => {
        at = when;
        give({ epoch });
        await opened;
      },
      fail: async () => {
        refuse(new Error('no answer'));
        await expect(opened).rejects.toThrow('no answer');
      },
    };
  };
  const stale = (...processes: readonly string[]): readonly boolean[] =>
    processes.map((process) => openings.ownership(0, process, at).isStale);
  return { openings, dead, asks, stale };
}

test('[N3] of two writers the one with the greater epoch has fenced the other, whichever is answered first', async () => {
  const { openings, asks, stale } = made();
  const [p, q] = [asks('p'), asks('q')];
  await q.answer(2, 10);
  await p.answer(1, 20);
  expect(stale('p', 'q')).toEqual([true, false]);
  expect(openings.ownership(0, 'p', 50).fencedMs).toBe(40);
  expect(openings.ownership(0, 'q', 50)).toEqual({ run: 'q#2', isStale: false, fencedMs: 0 });
});

test('[N3] whoever asks may have fenced the owner, and still may once it has failed', async () => {
  const { asks, stale } = made();
  await asks('p').answer(1, 10);
  const q = asks('q');
  expect(stale('p')).toEqual([true]);
  await q.fail();
  expect(stale('p')).toEqual([true]);
});

test.each(['has failed', 'was killed'])(
  '[N3] one that asked and %s is no owner once another has come behind it',
  async (how) => {
    const { dead, asks, stale } = made();
    await asks('p').answer(1, 10);
    const q = asks('q');
    if (how === 'has failed') await q.fail();
    else dead.add('q');
    await asks('r').answer(3, 20);
    expect(stale('r', 'p')).toEqual([false, true]);
  },
);

test('[N3] one that still asks counts although another has asked behind it and come', async () => {
  const { asks, stale } = made();
  const p = asks('p');
  await asks('q').answer(1, 10);
  expect(stale('q')).toEqual([true]);
  await p.answer(2, 20);
  expect(stale('p', 'q')).toEqual([false, true]);
});
