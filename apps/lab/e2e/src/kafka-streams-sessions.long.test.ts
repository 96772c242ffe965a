// Session windows of Kafka Streams, in its own test driver, beside sessions by event time (C7), on the same random sequences.
//
// Its table is the comparison: what was the last value of a window stands, and its store keeps a session just as long as an event
// may join it. What a user has emitted once the window closes, from the store that there is by default, loses and splits some:
//   lost   a session that the store has let go before a record came that would have had it emitted
//   split  an event of a session in its last millisecond, which the store no longer shows
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { findJava, resolveArtifacts, workspaceOf } from '@flatline/dev-broker';
import { testPipeline } from '@flatline/test-pipeline';

const SEED = Number(process.env['SEED'] ?? 1);
const SEQUENCES = Number(process.env['SEQUENCES'] ?? 4_000);
const SETTINGS = 25;
/** On a loaded machine. */
const PATIENCE_MS = 3 * 3_600_000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
/** Sequences of one partition are so far apart that none reaches another. */
const APART_MS = 1_000;
const START = Date.parse('2020-01-01T00:00:00Z');

interface Event {
  readonly key: string;
  readonly at: number;
}

/** Sequences of one key each, for sessions of these settings. */
interface Trial {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly events: readonly Event[];
  readonly endAt: number;
}

/** By key, each session as `start end count`, in the order of their times. */
type Sessions = ReadonlyMap<string, readonly string[]>;

const folder = mkdtempSync(join(tmpdir(), 'flatline-streams-'));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function trial(random: Random, sequences: number): Trial {
  const timeoutMs = 2 + random.below(11);
  const graceMs = 1 + random.below(30);
  const events: Event[] = [];
  for (let i = 0; i < sequences; i += 1) {
    let at = START + i * APART_MS;
    for (let left = 2 + random.below(8); left > 0; left -= 1) {
      at += random.below(random.chance(0.8) ? 2 * timeoutMs : 60);
      const behind = random.chance(0.5) ? random.below(graceMs + timeoutMs + 4) : 0;
      events.push({ key: `s${i}`, at: at - behind });
    }
  }
  return { timeoutMs, graceMs, events, endAt: START + sequences * APART_MS };
}

/** Its table, and what it emits. */
async function byKafkaStreams(trials: readonly Trial[]): Promise<{ table: Sessions; emitted: Sessions }[]> {
  const artifacts = await resolveArtifacts(
    {
      name: 'kafka-streams-sessions',
      folder: fileURLToPath(new URL('../trackers/kafka-streams', import.meta.url)),
      goals: ['compile', 'dependency:copy-dependencies'],
    },
    { workspace: workspaceOf(import.meta.url), environment: process.env, log: () => undefined },
  );
  const java = await findJava(process.env);
  if (java === undefined) throw new Error('the broker runs on Java: it is there');
  const jars = readdirSync(artifacts).filter((name) => name.endsWith('.jar'));
  const classPath = ['classes', ...jars].map((name) => join(artifacts, name)).join(delimiter);
  const file = join(folder, 'sequences');
  const lines = trials.flatMap(({ timeoutMs, graceMs, events, endAt }) => [
    `C ${timeoutMs} ${graceMs}`,
    ...events.map(({ key, at }) => `${key} ${at}`),
    `end ${endAt}`,
  ]);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const args = ['-Xmx512m', `-Djava.io.tmpdir=${folder}`, '-cp', classPath, 'dev.flatline.e2e.SessionSequences', file];
  const { stdout } = await promisify(execFile)(java.command, args, { maxBuffer: OUTPUT_BYTES_MAX });
  const results = trials.map(() => ({ table: new Map<string, string[]>(), emitted: new Map<string, string[]>() }));
  let at = -1;
  for (const line of stdout.split('\n')) {
    const [mark, key = '', ...session] = line.split(' ');
    if (mark === 'C') at += 1;
    else if (mark === 'T' || mark === 'F')
      noteIn(mark === 'T' ? results[at]!.table : results[at]!.emitted, key, session.join(' '));
  }
  return results;
}

function byFlatline({ timeoutMs, graceMs, events, endAt }: Trial): {
  sessions: Sessions;
  late: ReadonlyMap<string, number>;
} {
  const p = testPipeline(
    {
      name: 'sessions',
      kind: 'session',
      timeoutMs,
      graceMs,
      input: { topic: 'in', timestampType: 'CreateTime' },
      output: { topic: 'out' },
    },
    { startAt: endAt },
  );
  p.replay(events.map(({ key, at }) => ({ key, value: '', timestamp: at, partition: 0 })));
  p.replay([{ key: 'end', value: '', timestamp: endAt, partition: 0 }]);
  const sessions = new Map<string, string[]>();
  for (const { keyText, summary } of p.summaries()) {
    const { startedAt, endedAt, eventCount } = summary;
    noteIn(sessions, keyText, `${startedAt} ${endedAt} ${eventCount}`);
  }
  const late = new Map<string, number>();
  for (const { keyText, reason } of p.deadLetters()) {
    expect(reason).toBe('late');
    late.set(keyText!, (late.get(keyText!) ?? 0) + 1);
  }
  return { sessions, late };
}

function noteIn(sessions: Map<string, string[]>, key: string, session: string): void {
  const known = sessions.get(key) ?? [];
  sessions.set(key, [...known, session].sort());
}

const countOf = (sessions: readonly string[]): number =>
  sessions.reduce((sum, session) => sum + Number(session.split(' ')[2]), 0);

test(
  `[C7] ${SEQUENCES} sequences with disorder come out as in the table of Kafka Streams (rerun: SEED=${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const trials = Array.from({ length: SETTINGS }, () => trial(random, Math.ceil(SEQUENCES / SETTINGS)));
    const theirs = await byKafkaStreams(trials);
    const seen = { sequences: 0, sessions: 0, late: 0, equal: 0, lost: 0, split: 0 };
    trials.forEach((each, i) => {
      const { sessions, late } = byFlatline(each);
      const { table, emitted } = theirs[i]!;
      const counts = new Map<string, number>();
      for (const { key } of each.events) counts.set(key, (counts.get(key) ?? 0) + 1);
      const { timeoutMs, graceMs } = each;
      for (const [key, events] of counts) {
        const ours = sessions.get(key) ?? [];
        expect({ timeoutMs, graceMs, key, sessions: ours }).toEqual({
          timeoutMs,
          graceMs,
          key,
          sessions: table.get(key) ?? [],
        });
        // Each event is in one session, or late.
        expect(countOf(ours) + (late.get(key) ?? 0)).toBe(events);
        const said = emitted.get(key) ?? [];
        seen.sequences += 1;
        seen.sessions += ours.length;
        seen.late += late.get(key) ?? 0;
        if (said.join() === ours.join()) seen.equal += 1;
        else if (countOf(said) < countOf(ours)) seen.lost += 1;
        else {
          expect(countOf(said)).toBe(countOf(ours));
          expect(said.length).toBeGreaterThan(ours.length);
          seen.split += 1;
        }
      }
    });
    process.stdout.write(`beside Kafka Streams: ${JSON.stringify(seen)}\n`);
    expect(seen.sequences).toBeGreaterThanOrEqual(SEQUENCES);
    for (const count of [seen.sessions, seen.late, seen.equal, seen.lost, seen.split]) expect(count).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
