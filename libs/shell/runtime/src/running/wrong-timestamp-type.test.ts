import { describe, expect, test } from '@jest/globals';
import { wrongTimestampType } from './wrong-timestamp-type.ts';

const INPUT = { topic: 'in', partition: 2 };

describe('[C6] the message about a record of the other timestamp type', () => {
  test.each([
    ['LogAppendTime', 'CreateTime'],
    ['CreateTime', 'LogAppendTime'],
  ] as const)('[C6] where the input should be %s, it names the type found and the setting', (wanted, found) => {
    const why = wrongTimestampType(INPUT, wanted, { kind: 'wrongTimestampType', offset: 7, hasBegun: true });
    expect(why).toContain(`in/2 offset 7 is of timestamp type ${found}, input.timestampType is "${wanted}"`);
    expect(why).toContain(`set input.timestampType to "${found}"`);
  });

  test('[C6] before the clock has begun, changing the topic is a way out, too', () => {
    const outcome = { kind: 'wrongTimestampType', offset: 0, hasBegun: false } as const;
    expect(wrongTimestampType(INPUT, 'LogAppendTime', outcome)).toMatch(/set message\.timestamp\.type of the topic to/);
  });

  test('[C6] after it, the message says that what came before is committed', () => {
    const outcome = { kind: 'wrongTimestampType', offset: 9, hasBegun: true } as const;
    expect(wrongTimestampType(INPUT, 'LogAppendTime', outcome)).toMatch(/the records before, which are all committed/);
  });
});
