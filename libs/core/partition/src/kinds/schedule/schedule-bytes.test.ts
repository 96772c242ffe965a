// The bytes of schedules in the changelog, which other processes read for years.
import { expect, test } from '@jest/globals';
import { changedSchedules } from './changed-schedules.fixture.ts';
import { T } from './schedules.fixture.ts';

test('[K9] golden bytes of a schedule and one that recurs, and of what changes of them; all are restored', () => {
  const log = changedSchedules();
  expect(log.blocks.map((block) => Buffer.from(block).toString('hex'))).toMatchInlineSnapshot(`
    [
      "460201036c6f67026d650572756e2d3000000001040102e90300000882c0e285e3680081a0f1c2b134000001a7ab9f5e470001016b06d1aff1c2b1340200341c046f6e636500e0f4f4c2b13400000000010574726163650361626d311605616761696e01d1aff1c2b13400000002d00f006d32",
      "460201036c6f67026d650572756e2d31010572756e2d300001040103ea03000008f0eee285e36800b8b7f1c2b13400000166b505995c730402d20f0200491c046f6e636500e0f4f4c2b13400000000010574726163650361626d311605616761696e01a1bff1c2b13401000002d00f006d3214056c617465720290dff6c2b13400000000006d33",
    ]
  `);
  log.restart();
  log.add(T + 60_000, null);
  log.commit();
  expect(log.said()).toHaveLength(3);
  expect(log.all()).toEqual(log.folded().all);
});
