import { expect, test } from '@jest/globals';
import { foreignDeliveries } from './foreign-deliveries.ts';

const kept = {
  pipeline: 'visits.deliveries',
  input: 'visits.deliveries',
  changelog: 'hooksb.visits.deliveries.changelog',
  deliveriesOf: 'visits',
};
const plain = { pipeline: 'visits', input: 'in', changelog: 'hooksb.visits.changelog' };
const FOREIGN = 'hooks.visits.deliveries.changelog';

async function ownersOf(names: readonly string[], used: readonly string[] = []): Promise<readonly string[]> {
  const wasUsed = (topic: string) => Promise.resolve(used.includes(topic));
  const found = await foreignDeliveries([plain, kept], { names, wasUsed });
  return found.map(({ topic, application, ours }) => `${topic} ${application} ${ours}`);
}

test("[N3] a topic of deliveries is the application's whose changelog keeps them", async () => {
  const says = ['visits.deliveries hooks hooksb'];
  expect(await ownersOf(['visits.deliveries', FOREIGN])).toEqual(says);
  expect(await ownersOf([FOREIGN, kept.changelog])).toEqual(says);
  expect(await ownersOf([FOREIGN, kept.changelog], [FOREIGN])).toEqual(says);
  expect(await ownersOf([FOREIGN, kept.changelog], [FOREIGN, kept.changelog])).toEqual(says);
});

test("[N3] it is no other's where none has one of this name, or ours alone was ever used", async () => {
  expect(await ownersOf([kept.changelog, 'hooks.visits.changelog', 'hooks.other.deliveries.changelog'])).toEqual([]);
  expect(await ownersOf([FOREIGN, kept.changelog], [kept.changelog])).toEqual([]);
});
