import { describe, expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import { checkKind } from './check-kind.ts';

const visits = { name: 'visits', kind: 'lease', group: 'shop.visits' } as const;
const COMMIT = 'partitions=4 commit=12 9f-3';

describe('[I4] the kind of a pipeline', () => {
  test.each([[[]], [[`${COMMIT},kind=lease`, '']], [[COMMIT, 'partitions=4']], [['of something else kind=session']]])(
    'is right where nothing says another: %j',
    (notes) => {
      expect(() => {
        checkKind(visits, notes);
      }).not.toThrow();
    },
  );

  test('is wrong where any partition was committed as another', () => {
    const check = (): void => {
      checkKind(visits, [`${COMMIT},kind=lease`, `${COMMIT},kind=session`]);
    };
    expect(check).toThrow(Misconfigured);
    expect(check).toThrow(
      /^pipeline visits: kind is "lease", and what group shop.visits has kept so far is of kind "session"/,
    );
  });
});
