// A holder whose answers and acknowledgements come late, more than once, or not at all.
import { describe, expect, test } from '@jest/globals';
import { HolderBench } from './lease-holder.fixture.ts';

describe('a holder whose renewals are acknowledged late', () => {
  test('[L8] two in one turn, the first too late to be believed: it is held by the second, and says so', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    await bench.pass(2_950);
    expect(bench.said).toEqual(['start own', 'renewal 7', 'renewal 7', 'renewal 7']);
    bench.acknowledge(1, 10);
    bench.acknowledge(2, 1_010);
    await bench.time.settle();
    expect([bench.heldCount, bench.holder.isHeld, bench.over]).toEqual([1, true, []]);
  });

  test('[L8] one alone, too late to be believed: it is over, and given back', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    await bench.pass(2_950);
    bench.acknowledge(1, 10);
    await bench.pass(0);
    expect([bench.heldCount, bench.over, bench.said.at(-1)]).toEqual([0, ['TIMEOUT'], 'end 7']);
  });

  test('[L8] none at all: it is over, and given back once the brokers are there again', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    await bench.pass(3_000);
    expect([bench.over, bench.said.at(-1)]).toEqual([['TIMEOUT'], 'end 7']);
  });

  test('[L8] LH3: one that was held is over, and the log ends it: whoever has resumed it by then goes on', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    bench.acknowledge(1, 10);
    await bench.pass(2_900);
    bench.holder.release();
    const renewals = ['renewal 7', 'renewal 7', 'renewal 7'];
    expect([bench.heldCount, bench.over, bench.said]).toEqual([1, ['TIMEOUT'], ['start own', ...renewals]]);
  });

  test('[L8] LH3: what a process that was frozen gives back is not its own any more', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    bench.acknowledge(1, 10);
    await bench.pass(100);
    bench.sleptMs = 60_000;
    expect([bench.heldCount, bench.holder.isHeld]).toEqual([1, false]);
    bench.holder.release();
    expect([bench.over, bench.said]).toEqual([['ENDED'], ['start own', 'renewal 7']]);
  });

  test('[L8] LH3: nor is one given back because its caller waits no longer, in the turn in which it is handed out', async () => {
    const bench: HolderBench = new HolderBench({
      onHeld: () => {
        bench.holder.withdraw();
      },
    });
    bench.granted(7);
    bench.acknowledge(1, 10);
    await bench.pass(100);
    expect([bench.holder.isHeld, bench.over, bench.said]).toEqual([true, [], ['start own', 'renewal 7']]);
  });

  test('[L8] LH3: nor is one given back that was held, and renewed too late', async () => {
    const bench = new HolderBench();
    bench.granted(7, { endsAt: 3_000 });
    bench.acknowledge(1, 10);
    await bench.pass(1_100);
    bench.acknowledge(2, 2_900);
    await bench.pass(0);
    const renewals = ['renewal 7', 'renewal 7'];
    expect([bench.heldCount, bench.over, bench.said]).toEqual([1, ['TOO_LATE'], ['start own', ...renewals]]);
  });
});

describe('a holder and its own starts', () => {
  test('[L8] a start is sent once, however long its acknowledgement or its answer takes', async () => {
    const bench = new HolderBench();
    await bench.pass(60_000);
    bench.acknowledge(0, 60_000);
    await bench.pass(20_000);
    expect([bench.said, bench.over]).toEqual([['start own'], []]);
  });

  test('[L8] a later grant of its id is taken while it confirms', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    await bench.pass(100);
    bench.granted(9);
    bench.hear({ type: 'EXPIRED', token: 7, requestId: 'own', reason: 'REPLACED' });
    bench.acknowledge(2, 110);
    await bench.pass(10);
    expect([bench.said.slice(1), bench.heldCount, bench.holder.token]).toEqual([['renewal 7', 'renewal 9'], 1, 9]);
  });

  test('[L8] a grant that comes once it is over is given back', async () => {
    const bench = new HolderBench();
    bench.acknowledge(0, 1);
    await bench.pass(10);
    bench.holder.release();
    expect([bench.over, bench.holder.isOwed]).toEqual([['ENDED'], true]);
    bench.granted(7);
    bench.granted(7);
    expect([bench.said, bench.holder.isOwed]).toEqual([['start own', 'end own', 'end 7'], false]);
    expect(bench.holder.token).toBe(-1);
  });

  test('[L8] LH3: one that is refused once it is over is owed nothing; the reason stays the first', async () => {
    const bench = new HolderBench();
    bench.acknowledge(0, 1);
    await bench.pass(31_000);
    expect([bench.over, bench.holder.isOwed]).toEqual([['NO_ANSWER'], true]);
    bench.hear({ type: 'QUEUED', requestId: 'own' });
    expect(bench.holder.isOwed).toBe(true);
    bench.hear({ type: 'REJECTED', requestId: 'own', reason: 'HELD' });
    expect([bench.over, bench.holder.isOwed]).toEqual([['NO_ANSWER'], false]);
  });

  test('[L4][L8] LH3: one that waits and is not wanted any more leaves the queue, and is owed nothing once that is answered', async () => {
    const bench = new HolderBench();
    bench.acknowledge(0, 1);
    await bench.pass(10);
    bench.hear({ type: 'QUEUED', requestId: 'own' });
    bench.holder.withdraw();
    bench.holder.withdraw();
    expect([bench.over, bench.said, bench.holder.isOwed]).toEqual([['WITHDRAWN'], ['start own', 'end own'], true]);
    bench.hear({ type: 'REJECTED', requestId: 'own', reason: 'WITHDRAWN' });
    expect([bench.over, bench.holder.isOwed]).toEqual([['WITHDRAWN'], false]);
  });

  test.each(['WRONG_TOKEN', 'NOT_HELD'])(
    '[L4][L8] LH3: a withdrawal that is refused, %s, as by a processor that does not know of it, leaves what is owed',
    async (reason) => {
      const bench = new HolderBench();
      bench.acknowledge(0, 1);
      await bench.pass(10);
      bench.holder.withdraw();
      bench.hear({ type: 'REJECTED', requestId: 'own', reason });
      expect(bench.holder.isOwed).toBe(true);
      bench.granted(7);
      expect([bench.said, bench.holder.isOwed]).toEqual([['start own', 'end own', 'end 7'], false]);
    },
  );

  test('[L8] a start that is in the log and is not answered is over after a while', async () => {
    const bench = new HolderBench();
    await bench.pass(100_000);
    expect(bench.over).toEqual([]);
    bench.acknowledge(0, 100_000);
    await bench.pass(30_000);
    expect([bench.over, bench.said]).toEqual([['NO_ANSWER'], ['start own', 'end own']]);
  });

  test('[L8] one that waits in the queue has its answer', async () => {
    const bench = new HolderBench();
    bench.acknowledge(0, 1);
    await bench.pass(10);
    bench.hear({ type: 'QUEUED', requestId: 'own' });
    await bench.pass(500_000);
    expect(bench.over).toEqual([]);
  });

  test('[L8] a lease no longer than the skew is not renewed', () => {
    const bench = new HolderBench();
    bench.granted(7, { timeoutMs: 100 });
    expect([bench.said, bench.over]).toEqual([['start own', 'end 7'], ['TOO_SHORT']]);
  });

  test('[L8] where no acknowledgement says when it was appended, that is said', async () => {
    const bench = new HolderBench();
    bench.granted(7);
    bench.acknowledge(1, undefined);
    await bench.pass(3_000);
    expect([bench.over, bench.said.at(-1)]).toEqual([['NO_APPEND_TIME'], 'end 7']);
  });
});
