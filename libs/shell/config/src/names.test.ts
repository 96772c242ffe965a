import { expect, test } from '@jest/globals';
import { changelogTopicOf, deadLetterTopicOf, groupOf, transactionalId } from './names.ts';

test('derived names are those of the interface', () => {
  expect(changelogTopicOf('shop', 'visits')).toBe('shop.visits.changelog');
  expect(deadLetterTopicOf('shop', { name: 'visits' })).toBe('shop.visits.dead-letters');
  expect(deadLetterTopicOf('shop', { name: 'visits', deadLetterTopic: 'bad' })).toBe('bad');
  expect(groupOf('shop', 'visits')).toBe('shop.visits');
  expect(transactionalId('shop', 'visits', 7)).toBe('shop.visits.7');
});
