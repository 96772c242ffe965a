// Checks of a partition once all its commits are judged: its settings, the local store, records that were deleted too early, lives
// that are overdue, and how far the processor is behind.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../logs/byte-names.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { PartitionHistory } from '../logs/history.ts';
import { placeOf, placeText, type Positions, positionsText } from '../logs/places.ts';
import type { KindReading } from '../rules/reading.ts';
import type { Commit } from './commit-chain.ts';
import type { Behind } from './input-walk.ts';
import { inputsOf } from './inputs-of.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';
import type { RulesInForce } from './rules-in-force.ts';
import type { StateCheck } from './state-check.ts';

/** Characters shown of a text that cannot be read. */
const SHOWN_LENGTH = 60;

export type Places = Readonly<Record<'input' | 'changelog' | 'output' | 'deadLetters', Place>>;

export interface PartitionEnd {
  readonly history: PartitionHistory;
  readonly findings: Findings;
  readonly places: Places;
  /** undefined: there is no commit. */
  readonly last: Commit | undefined;
  readonly positions: Positions;
}

/** K1 */
export function checkSettings({ history, findings, places, last }: PartitionEnd, inForce: RulesInForce): void {
  for (const { sequence, from, text } of inForce.unreadable())
    places.changelog.violation('K1', {
      what: `the settings of commits from ${sequence} on (input offset ${from}) are no JSON object: ${text.slice(0, SHOWN_LENGTH)}`,
    });
  findings.settings.note(history.partition, inForce.differences());
  for (const what of inForce.hashedOtherwise()) places.changelog.undecided(what);
  if (history.settings?.length !== 0 || last === undefined) return;
  places.changelog.undecided(
    'by which settings the commits were made: the changelog does not say it, and they are judged by those of the configuration',
  );
}

/** K3, X3: reports logs of which retention, or an operator, has deleted too much. */
export function checkKept({ history, places, last, positions }: PartitionEnd, state: StateCheck): void {
  const { changelog, changelogTruncatedTo: logStart = changelog.logStart } = history;
  if (last !== undefined) state.checkFloor(last, logStart);
  else if (logStart > 0)
    places.changelog.violation('K3', {
      what: `the changelog begins at ${logStart} and holds no commit: the floor of the last one must have kept it`,
    });
  if (last === undefined) return;
  inputsOf(history).forEach(({ firstOffset }, at) => {
    const position = positions[at]!;
    if (position >= firstOffset) return;
    const from = placeText(placeOf(at, position));
    const what = `records from offset ${from} to ${firstOffset} were deleted before a commit covered them`;
    if (history.isComplete === true) places.input.violation('X3', { offset: position, what });
    else places.input.undecided(`whether ${what}: there may have been none but control records`);
  });
}

/** V2 */
export async function checkOverdue({ history, places }: PartitionEnd, { fold, plural }: KindReading): Promise<void> {
  const overdue = fold.overdue();
  const why = overdue.length === 0 ? undefined : await history.whyUndone();
  if (why !== undefined) places.input.undecided(`whether ${overdue.length} ${plural} that are due get closed: ${why}`);
  else for (const { text, what } of overdue) places.output.violation('V2', { key: text, what });
}

/**
 * V2: a processor that was stopped too early, or never ran, has done nothing wrong, and not what it should. `due`: closes that no commit
 * covers.
 */
export function checkBehind(
  { history, places, last, positions }: PartitionEnd,
  { records, ends, offsets, first, latest }: Behind,
  clock: Millis,
  due: number,
): void {
  if (first === undefined || (records === 0 && due === 0)) return;
  const covered = last === undefined ? 'there is none' : `the last one ends at offset ${positionsText(positions)}`;
  const what =
    `no commit covers ${records} records up to offset ${positionsText(ends.map((end) => end - 1))} (${covered}): the ` +
    `processor is ${offsets} offsets and ${latest - (clock > 0 ? clock : first)} ms of the log behind, with ${due} closes due`;
  if (history.isComplete === true) places.input.certain('V2', { offset: positions[0]!, what });
  else places.input.undecided(what);
}

/** V8: compares the local store with the changelog's images of live entries. */
export function checkStore(
  { history: { store }, places, last }: PartitionEnd,
  images: ReadonlyMap<string, LoggedImage>,
): void {
  if (store === undefined || last === undefined) return;
  if (store.position <= last.lastOffset) {
    places.changelog.undecided(`the local store: it is at ${store.position}, behind the last commit`);
    return;
  }
  const say = (key: Uint8Array, what: string): void => {
    places.changelog.violation('V8', { key: textOf(key), what: `the local store ${what}` });
  };
  const left = new Map(images);
  for (const { key, image } of store.entries) {
    const name = nameOf(key);
    const logged = left.get(name);
    left.delete(name);
    if (logged === undefined) say(key, 'holds an entry that the changelog does not');
    else if (nameOf(logged.image) !== nameOf(image)) say(key, 'holds another image than the changelog');
  }
  for (const { key } of left.values()) say(key, 'lacks an entry of the changelog');
}
