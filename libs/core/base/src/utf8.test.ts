import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { utf8Of } from './index.ts';

test('[I3] the UTF-8 of any text is what TextEncoder makes of it, and its own', () => {
  const units = fc.string({ unit: 'binary', maxLength: 30 });
  const loneSurrogates = fc
    .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 30 })
    .map((codes) => String.fromCharCode(...codes));
  const long = fc
    .tuple(fc.constantFrom('x', 'é', '\u{1f600}', '\ud800'), fc.integer({ min: 500, max: 1_100 }))
    .map(([text, count]) => text.repeat(count));
  fc.assert(
    fc.property(fc.oneof(units, loneSurrogates, long), (text) => {
      const bytes = utf8Of(text);
      utf8Of('something else');
      expect(bytes).toEqual(new TextEncoder().encode(text));
    }),
    { numRuns: 300 },
  );
});
