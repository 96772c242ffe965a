// The example on the page of each preset (docs/presets): what it says is sent gives the summaries that it shows, and no others.
import { millisecondsIn } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { type PipelineSection, type SummaryOutput, testPipeline } from './index.ts';

const FOLDER = new URL('../../../../docs/presets/', import.meta.url);
const SECOND = 1_000;
const DAYS = ['Mon', 'Tue', 'Wed'];
/** A Monday. */
const START_AT = Date.parse('2026-06-15T00:00:00Z');

interface Sent {
  readonly key: string;
  readonly at: number;
  /** null: the end. */
  readonly value: object | null;
}

const pages = readdirSync(FOLDER).map((file) => ({
  preset: file.replace(/\.md$/, ''),
  text: readFileSync(new URL(file, FOLDER), 'utf8'),
}));

test.each(pages)('[S13] $preset: what its page sends is summed up as it shows, with a robot capped', ({ text }) => {
  // The first block is the settings of the preset, which the tests of the configuration read.
  const [, [, section = ''] = []] = [...text.matchAll(/```json\n([^]*?)```/g)];
  const p = testPipeline(JSON.parse(section) as Extract<PipelineSection, { kind: 'session' }>, { startAt: START_AT });
  for (const { key, at, value } of sentOn(text)) {
    if (at > p.now) p.advance(at - p.now);
    p.send(key, value);
  }
  p.advance('1d');
  const shown = rowsOf(text, 'summary of');
  expect(p.summaries().map(rowOf)).toEqual(shown);
  expect(shown.map((row) => row.at(-1))).toContain('`capped`');
  expect(shown.map((row) => row.at(-2))).toContain('00:00:00');
  expect(p.entries()).toEqual([]);
});

/** Cells of the table that has this title over its first column. */
function rowsOf(text: string, title: string): string[][] {
  const [, , ...rows] = new RegExp(`^\\| ${title} .*\\n(\\|.*\\n)+`, 'm').exec(text)![0].trimEnd().split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function sentOn(text: string): Sent[] {
  const sent = rowsOf(text, 'event of').flatMap(([key = '', when = '', says = '']) => {
    const [, from = '', to = from, every = '1s'] = /^(\w+ \S+)(?: to (\w+ \S+) every (\w+))?$/.exec(when)!;
    const [first, last, apart] = [instantOf(from), instantOf(to), millisecondsIn(every)!];
    const count = (last - first) / apart + 1;
    return Array.from({ length: count }, (_, i) => ({ key, at: first + i * apart, value: valueOf(says) }));
  });
  return sent.sort((a, b) => a.at - b.at);
}

function instantOf(written: string): number {
  const [, day = '', time = ''] = /^(\w+) (\S+)$/.exec(written)!;
  return Date.parse(`2026-06-${15 + DAYS.indexOf(day)}T${time}Z`);
}

function valueOf(says: string): object | null {
  const [type, ...members] = says.replaceAll('`', '').split(' ');
  if (type === 'null') return null;
  const pairs = members.map((member) => member.split('=') as [string, string]);
  const timeoutMs = pairs.find(([name]) => name === 'timeoutMs')?.[1];
  const attributes = Object.fromEntries(pairs.filter(([name]) => name !== 'timeoutMs'));
  return { type, attributes, ...(timeoutMs !== undefined && { timeoutMs: Number(timeoutMs) }) };
}

function rowOf({ key, summary }: SummaryOutput): string[] {
  const { closedAt, reason, eventCount, durationMs, attributes, capped } = summary;
  const day = DAYS[Math.floor((closedAt - START_AT) / (24 * 3_600 * SECOND))]!;
  const [says] = capped ? ['capped'] : [...attributes].map((attribute) => attribute.join('='));
  const cells = [`\`${reason}\``, String(eventCount), clockOf(durationMs), says === undefined ? '' : `\`${says}\``];
  return [Buffer.from(key).toString(), `${day} ${new Date(closedAt).toISOString().slice(11, 19)}`, ...cells];
}

/** Hours, which may be more than a day's, minutes, seconds. */
function clockOf(ms: number): string {
  const seconds = ms / SECOND;
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
}
