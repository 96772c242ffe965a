// Settings of windows, the rules that they come to, and checks of one against another.
import {
  BATCH_BYTES_MAX,
  besideItemBytes,
  type DebounceRules,
  WINDOW_BYTES_MAX,
  WINDOW_ITEMS_MAX,
  WINDOW_PARTS_BYTES_MAX,
} from '@flatline/kinds/debounce';
import type { StateReducer } from '@flatline/kinds/reducing';
import { CHANGELOG_FORMAT_WITH_REDUCERS } from '@flatline/base';
import { z } from 'zod';
import { NO_HELD_TIME } from '../form/lives.ts';
import type { Problem } from '../form/problem.ts';
import { REDUCED_SETTINGS, reducerFindings, reducerForm, stateReducer, unneededBound } from '../form/reducer.ts';
import { sectionForm } from '../form/section.ts';
import { duration, DURATION_MAX_MS, durationOrNone, setting } from '../form/setting.ts';
import type { Given, OwnPart } from '../kind-module.ts';
import type { AnyPipeline } from '../pipeline.ts';

export interface DebouncePipeline extends AnyPipeline {
  readonly kind: 'debounce';
  readonly rules: DebounceRules;
}

const own = {
  mode: setting(z.enum(['trailing', 'window', 'leading']).default('trailing'), 'When it fires by time (B1)'),
  waitMs: setting(duration, 'After the last item, or in mode `window` after the first'),
  maxWaitMs: setting(
    durationOrNone.optional(),
    'Longest life of a window: ten times `waitMs` if left out, 0: no bound',
  ),
  maxItems: setting(
    z.int().min(1).max(WINDOW_ITEMS_MAX).default(WINDOW_ITEMS_MAX),
    'So many items fire it at once',
    'items',
  ),
  maxBytes: setting(
    z.int().min(1).max(WINDOW_BYTES_MAX).optional(),
    'So many bytes of values do: 1000000 if left out, which is the most with `flush`, 16777216 with `split`, no limit where `reducer` keeps one item at most',
  ),
  onOversize: setting(
    z.enum(['flush', 'split']).default('flush'),
    'What one record cannot hold fires before it comes to that, or comes in parts (B3)',
  ),
  dedupeBy: setting(z.string().min(1).max(256).optional(), "A header's name, or a JSON pointer as `/user/id` (B2)"),
  reducer: setting(
    reducerForm(['all', 'first', 'last', 'count', 'custom']).default('all'),
    'What a batch shows of its items (B3): `all`, the `first`, the `last`, none with `count`; `custom` where the processor is [embedded](DEBOUNCE.md#a-reducer-of-your-own); or [built-in parts, or functions of your own](REDUCERS.md) (S10)',
  ),
  ...REDUCED_SETTINGS,
};

/** A batch is a record of its own: nothing stands for what has gone. */
export const debounceSection = sectionForm('debounce', own, { tombstones: false });

type DebounceSection = z.output<typeof debounceSection>;

/** The default of `maxWaitMs`, in waits (B1). */
const MAX_WAITS = 10;
/** The default of `maxBytes` where a window may be larger than a record. */
const SPLIT_BYTES = 16 * 1024 * 1024;
/** The same where a window keeps one item at most: `maxItems` bounds it. */
const REDUCED_BYTES = 2 ** 32 - 1;
/** A JSON pointer (RFC 6901): "~" only as "~0" and "~1". */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

export function debouncePart(section: DebounceSection, given: Given): OwnPart<DebouncePipeline> {
  const rules = debounceRules(section, given);
  return { kind: 'debounce', rules, targets: [], heldTime: NO_HELD_TIME, isPacedTooSlowly: false };
}

function debounceRules(section: DebounceSection, { reducers }: Given): DebounceRules {
  const { mode, maxItems, onOversize, dedupeBy, reducer, waitMs } = section;
  const handed = reducer === 'custom' ? reducers[section.name] : undefined;
  const reduced = typeof handed === 'function' ? undefined : stateReducerOf(section, reducers);
  return {
    mode,
    waitMs,
    maxWaitMs: section.maxWaitMs ?? Math.min(DURATION_MAX_MS, MAX_WAITS * waitMs),
    maxItems,
    maxBytes: section.maxBytes ?? defaultMaxBytes(section),
    onOversize,
    maxPartsBytes: WINDOW_PARTS_BYTES_MAX,
    dedupeBy,
    reducer: ownName(reducer),
    reduce: typeof handed === 'function' ? handed : undefined,
    // Windows without a state have the settings that they always had.
    ...(reduced && { reduced }),
  };
}

/** Names that windows have for what they show; whatever has a state is a custom one. */
type OwnName = DebounceRules['reducer'];

function ownName(reducer: DebounceSection['reducer']): OwnName {
  return typeof reducer === 'string' ? reducer : 'custom';
}

function stateReducerOf(section: DebounceSection, handed: Given['reducers']): StateReducer | undefined {
  const { name, reducer, maxReducedBytes } = section;
  const hasState = typeof reducer !== 'string' || reducer === 'custom';
  return hasState ? stateReducer({ name, reducer, maxReducedBytes }, handed) : undefined;
}

function defaultMaxBytes(section: DebounceSection): number {
  if (!keepsAll(section)) return REDUCED_BYTES;
  return section.onOversize === 'split' ? SPLIT_BYTES : BATCH_BYTES_MAX;
}

/** True if a window keeps all the items that it has taken. */
function keepsAll(section: DebounceSection): boolean {
  const { dedupeBy } = section;
  const reducer = ownName(section.reducer);
  return reducer === 'all' || (dedupeBy !== undefined && reducer !== 'custom');
}

export function debounceProblems(section: DebounceSection, given: Given): Problem[] {
  const { waitMs, maxWaitMs, maxBytes = 0, onOversize, dedupeBy, output } = section;
  const found: Problem[] = [];
  if (maxWaitMs !== undefined && maxWaitMs !== 0 && maxWaitMs <= waitMs)
    found.push({
      setting: 'maxWaitMs',
      value: maxWaitMs,
      problem: `0, or more than waitMs (${waitMs})`,
      involved: ['waitMs'],
    });
  if (dedupeBy?.startsWith('/') === true && !POINTER.test(dedupeBy)) {
    const problem =
      'a JSON pointer as "/user/id", with "~0" for "~" and "~1" for "/" within a name, or the name of a header';
    found.push({ setting: 'dedupeBy', value: dedupeBy, problem });
  }
  if (onOversize === 'flush' && maxBytes > BATCH_BYTES_MAX && keepsAll(section)) {
    const problem = `at most ${BATCH_BYTES_MAX}, what one record holds; more with onOversize "split"`;
    found.push({ setting: 'maxBytes', value: maxBytes, problem });
  }
  found.push(...stateProblems(section, given), ...reducerProblems(section, given));
  if (output.tombstones)
    found.push({ setting: 'output.tombstones', value: true, problem: 'false: batches have no tombstones' });
  for (const { format } of [section.input].flat())
    if (format !== 'auto')
      found.push({ setting: 'input.format', value: format, problem: 'leave it out: items are taken as they are' });
  return found;
}

function stateProblems(section: DebounceSection, given: Given): Problem[] {
  const { maxStateBytes = Infinity, maxKeyBytes } = section;
  if (!keepsAll(section)) return [];
  const { maxBytes: windowBytes } = debounceRules(section, given);
  const beside = besideItemBytes(maxKeyBytes);
  if (maxStateBytes >= windowBytes + beside) return [];
  const least = `at least ${windowBytes + beside}, maxBytes (${windowBytes}) and ${beside} for the window of an item, with its key`;
  const problem = `${least}: no window could be as large. Raise it, or lower maxBytes or maxKeyBytes`;
  return [{ setting: 'maxStateBytes', value: maxStateBytes, problem }];
}

/** A function is no setting: it comes beside the configuration. */
function reducerProblems(section: DebounceSection, { reducers }: Given): Problem[] {
  const { name, reducer, maxReducedBytes, dedupeBy, changelogFormat } = section;
  const hasFunction = Object.hasOwn(reducers, name);
  const how = `createProcessor(config, { reducers: { ${JSON.stringify(name)}: (accumulated, item) => … } })`;
  if (typeof reducer === 'string' && reducer !== 'custom') {
    const problem = `"custom": the application gives a reducer for this pipeline`;
    const found = unneededBound({ maxReducedBytes });
    return hasFunction ? [...found, { setting: 'reducer', value: reducer, problem }] : found;
  }
  const found: Problem[] =
    typeof reducer === 'string'
      ? unneededBound({ reducer, maxReducedBytes })
      : reducerFindings({ name, reducer, maxReducedBytes }, reducers);
  if (typeof reducer !== 'string' && changelogFormat < CHANGELOG_FORMAT_WITH_REDUCERS) {
    const problem = `needs changelogFormat ${CHANGELOG_FORMAT_WITH_REDUCERS}, whose readers know its state`;
    found.push({ setting: 'reducer', value: reducer, problem, involved: ['changelogFormat'] });
  }
  if (reducer === 'custom' && !hasFunction) {
    const problem = `"all", "first", "last" or "count"; "custom" needs a function, and so a processor that is embedded: ${how}`;
    found.push({ setting: 'reducer', value: reducer, problem });
  }
  if (dedupeBy !== undefined) {
    const problem = 'leave it out with reducer "custom": which items are alike is known when the window fires';
    found.push({ setting: 'dedupeBy', value: dedupeBy, problem });
  }
  return found;
}
