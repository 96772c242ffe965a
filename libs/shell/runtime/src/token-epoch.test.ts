import { describe, expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import { checkTokenEpoch } from './token-epoch.ts';

const COMMIT = 'partitions=4 commit=12 9f-3';
const notes = [`${COMMIT},kind=lease`, `${COMMIT};epoch=3,kind=lease`, '', 'of something else;epoch=9'];

function check(tokenEpoch: number): () => void {
  return () => {
    checkTokenEpoch({ name: 'leaders', group: 'shop.leaders', tokenEpoch }, notes);
  };
}

describe('the epoch of tokens', () => {
  test.each([3, 4])('[L3] may stay and be raised: %i', (tokenEpoch) => {
    expect(check(tokenEpoch)).not.toThrow();
  });

  test('[L3] is not lowered: every fence would refuse what is granted from then on', () => {
    expect(check(2)).toThrow(Misconfigured);
    expect(check(2)).toThrow(
      'pipeline leaders: tokenEpoch is 2, and group shop.leaders has granted leases with 3: fences that have seen their tokens ' +
        'would refuse all that come. Set tokenEpoch to 3 or more',
    );
  });
});
