// A page by who does not know that the partition has another owner: what it shows and the end that it names are of one commit.
import { expect, test } from '@jest/globals';
import { sessionView } from '@flatline/kinds/session';
import { OUTPUT, World, type Process } from '../world.fixture.ts';
import type { EntryPage } from '../look-up.ts';

const NEVER = new AbortController().signal;

test.each(Array.from({ length: 30 }, (_, i) => i + 1))(
  "[Q3] seed %i: one that wakes as a zombie does not name the end behind its successor's outputs",
  async (seed) => {
    const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const view = sessionView(world.rules);
    const a: Process = world.launch('a');
    await time.runFor(6_000);
    world.beat('k');
    await time.runFor(2_000);
    expect(a.instance.status()[0]).toMatchObject({ state: 'running', liveEntries: 1 });
    a.host.pause();
    world.launch('b');
    await time.runFor(15_000);
    world.end('k');
    await time.runFor(5_000);
    const outputs = world.simulation.log.committed(OUTPUT, 0);
    expect(outputs.length).toBeGreaterThan(0);
    const pages: EntryPage[] = [];
    a.host.resume();
    for (let i = 0; i < 20; i += 1) {
      void a.instance
        .page(0, {
          asked: new TextEncoder().encode('k'),
          show: (entry, place) => view.shown(entry as never, place),
          abandon: NEVER,
        })
        .then((page) => pages.push(page));
      await time.runFor(1);
    }
    await time.runFor(5_000);
    const wrong = pages.filter(
      (page) => page.kind === 'found' && page.rows.length > 0 && page.outputEnd > outputs[0]!.offset,
    );
    expect(wrong).toEqual([]);
  },
);
