import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { PUBLISHED } from './published.ts';
import { undocumentedOptions } from './undocumented-options.ts';
import { withSettingComments } from './setting-comments.ts';

describe('the page of an API', () => {
  test.each(PUBLISHED.map(({ apiPage }) => apiPage))(
    '%s: has the default of every option, the unit of every number',
    (name) => {
      const page = readFileSync(new URL(`../../docs/api/${name}.md`, import.meta.url), 'utf8');
      const [, declarations = ''] = /```ts\n([^]*?)```/.exec(page)!;
      expect(declarations).toContain('Options {');
      expect(undocumentedOptions(declarations)).toEqual([]);
    },
  );
});

describe('an option that is not explained', () => {
  test('is found by its default and its unit', () => {
    const found = undocumentedOptions(`
      export interface BeatOptions {
        /** How long to wait. In milliseconds. */
        readonly waitMs?: DurationMs;
        /** Default 5. */
        readonly most?: number;
        readonly least: number;
        /** How many times. Default 5. */
        readonly attempts?: number;
        /** Most that wait. 1 … 1024 waiters. Default 5. */
        readonly queue?: number;
        /** Most that wait. 1 … 255. Default 5. */
        readonly line?: number;
        readonly topic: string;
        readonly inner?: { readonly port?: number };
      }
      /** Nothing that users write. */
      interface Report { readonly lag?: number }`);
    expect(found).toEqual([
      'BeatOptions.waitMs: default',
      'BeatOptions.most: unit',
      'BeatOptions.least: unit',
      'BeatOptions.line: unit',
      'BeatOptions.inner.port: default',
    ]);
  });

  test('may be a parameter', () => {
    const found = undocumentedOptions(`
      export interface Open {
        /** Rejects after \`limitMs\`, by default 10 milliseconds. */
        close(limitMs?: DurationMs): void;
        wait(limitMs?: DurationMs): void;
      }
      /** Default: 5 ms. */
      declare function pause(ms?: number): void;`);
    expect(found).toEqual(['Open.wait(limitMs): default', 'Open.wait(limitMs): unit']);
  });
});

test('a setting has what its page says, in the section or the list that it is in', () => {
  const page = `
| \`brokers\`         | required |         | Bootstrap [addresses](A.md#b) |
| \`waitMs\`          | \`5\`    | ≥ 1 ms  | How long                      |
| \`http.port\`       | none     |         |                               |
| \`p[].input.topic\` | \`"a"\`  | \`a\`, \`b\` | _(later)_                |
`;
  const type =
    'type C = { brokers: string[]; waitMs?: number; http?: { port?: number }; p: ({ input: { topic: 1 } | { topic: 1 }[] } & {})[] };';
  expect(withSettingComments(type, page)).toBe(
    `type C = {\n/** Bootstrap addresses. Required. */\nbrokers: string[];\n/** How long. ≥ 1 ms. Default: \`5\`. */\nwaitMs?: number; http?: {\n/** Default: none. */\nport?: number }; p: ({ input: {\n/** (later). Default: \`"a"\`. */\ntopic: 1 } | {\n/** (later). Default: \`"a"\`. */\ntopic: 1 }[] } & {})[] };`,
  );
});
