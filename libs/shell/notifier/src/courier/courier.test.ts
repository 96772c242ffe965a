import { expect, test } from '@jest/globals';
import { CourierWorld, END } from './courier-world.fixture.ts';

test('[N3] startFrom latest: a first run commits where it begins, so that what comes between two runs is sent', async () => {
  const world = new CourierWorld({ startFrom: 'latest' });
  await world.clock.pass(1_000);
  await world.courier.close();
  expect(world.committed.get('visits')).toBe(END);
});

test('[N3] both positions are in each commit, and in one an hour where nothing comes: brokers forget old ones', async () => {
  const world = new CourierWorld({});
  await world.clock.pass(3 * 3_600_000);
  await world.courier.close();
  const topics = world.commits.map(({ offsets }) => offsets.map(({ topic }) => topic));
  expect(topics).toEqual(Array.from({ length: 4 }, () => ['visits', 'visits.deliveries.due']));
});
