// The statements of docs/REVISIONS.md, in SQLite: what a sink makes of summaries that may be revised (S9).
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';

const page = readFileSync(new URL('../../../../docs/REVISIONS.md', import.meta.url), 'utf8');
const [tables, insertSummary, insertEnd, newestTable, upsert] = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(
  ([, sql]) => sql!,
);

/** Incarnation and revision of each summary, `final` of a tombstone; each is read twice, in some order. */
function after(words: readonly (readonly [incarnation: string, revision: number | 'final'])[], seed: number): object {
  const database = new DatabaseSync(':memory:');
  database.exec(tables!);
  database.exec(newestTable!);
  const run = (statement: string, ...values: readonly (string | number)[]): void => {
    database.prepare(statement).run(Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value])));
  };
  const random = seededRandom(seed);
  const read = [...words, ...words].map((word) => ({ word, at: random.below(1e6) })).sort((a, b) => a.at - b.at);
  for (const {
    word: [incarnation, revision],
  } of read)
    if (revision === 'final') run(insertEnd!, incarnation);
    else
      for (const statement of [insertSummary!, upsert!])
        run(statement, incarnation, revision, 'k', 1_000, `summary ${revision}`);
  const rows = (from: string): readonly string[] =>
    database
      .prepare(`SELECT incarnation, revision, summary FROM ${from} ORDER BY incarnation`)
      .all()
      .map((row) => Object.values(row).join(' '));
  const views = ['first_summaries', 'newest_summaries', 'final_summaries', 'sessions'].map((from) => [
    from,
    rows(from),
  ]);
  database.close();
  return Object.fromEntries(views) as object;
}

test.each([1, 2, 3, 4, 5])(
  '[S9][O3] first, newest and final summaries, in whatever order what is read twice comes (%i)',
  (seed) => {
    const words = [
      ['0-1', 0],
      ['0-1', 1],
      ['0-1', 2],
      ['0-1', 'final'],
      ['0-2', 0],
      ['0-3', 0],
      ['0-3', 'final'],
    ] as const;
    const newest = ['0-1 2 summary 2', '0-2 0 summary 0', '0-3 0 summary 0'];
    expect(after(words, seed)).toEqual({
      first_summaries: ['0-1 0 summary 0', '0-2 0 summary 0', '0-3 0 summary 0'],
      newest_summaries: newest,
      final_summaries: ['0-1 2 summary 2', '0-3 0 summary 0'],
      sessions: newest,
    });
  },
);
