// Settings of debounce pipelines: what they come to, and what they must be to each other.
import {
  BATCH_BYTES_MAX,
  besideItemBytes,
  type DebounceReducer,
  type DebounceRules,
  WINDOW_PARTS_BYTES_MAX,
} from '@flatline/kinds';
import { DURATION_MAX_MS, type PipelineSection } from './schema.ts';

/** The default of `maxWaitMs`, in waits (B1). */
const MAX_WAITS = 10;
/** The default of `maxBytes` where a window may be larger than a record. */
const SPLIT_BYTES = 16 * 1024 * 1024;
/** The same where a window keeps one item at most: `maxItems` bounds it. */
const REDUCED_BYTES = 2 ** 32 - 1;
/** A JSON pointer (RFC 6901): "~" only as "~0" and "~1". */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** Functions of an application that embeds the processor, by the pipeline that they reduce. */
export type Reducers = Readonly<Record<string, DebounceReducer>>;

export function debounceRules(section: PipelineSection, reducers: Reducers): DebounceRules {
  const { mode, maxItems, onOversize, dedupeBy, reducer, waitMs = 1 } = section;
  return {
    mode,
    waitMs,
    maxWaitMs: section.maxWaitMs ?? Math.min(DURATION_MAX_MS, MAX_WAITS * waitMs),
    maxItems,
    maxBytes: section.maxBytes ?? defaultMaxBytes(section),
    onOversize,
    maxPartsBytes: WINDOW_PARTS_BYTES_MAX,
    dedupeBy,
    reducer,
    reduce: reducer === 'custom' ? reducers[section.name] : undefined,
  };
}

function defaultMaxBytes(section: PipelineSection): number {
  if (!keepsAll(section)) return REDUCED_BYTES;
  return section.onOversize === 'split' ? SPLIT_BYTES : BATCH_BYTES_MAX;
}

/** True if a window keeps all the items that it has taken. */
function keepsAll({ reducer, dedupeBy }: PipelineSection): boolean {
  return reducer === 'all' || (dedupeBy !== undefined && reducer !== 'custom');
}

interface Problem {
  readonly setting: string;
  readonly value: unknown;
  readonly problem: string;
}

export function debounceProblems(section: PipelineSection, reducers: Reducers): Problem[] {
  if (section.kind !== 'debounce') return [];
  const { waitMs, maxWaitMs, maxBytes = 0, onOversize, dedupeBy, output } = section;
  const found: Problem[] = [];
  if (waitMs === undefined) {
    const problem = 'is missing; expected a whole number of ms, 1 or more, or a length of time as "30m" or "10s"';
    found.push({ setting: 'waitMs', value: waitMs, problem });
  } else if (maxWaitMs !== undefined && maxWaitMs !== 0 && maxWaitMs <= waitMs)
    found.push({ setting: 'maxWaitMs', value: maxWaitMs, problem: `0, or more than waitMs (${waitMs})` });
  if (dedupeBy?.startsWith('/') === true && !POINTER.test(dedupeBy)) {
    const problem =
      'a JSON pointer as "/user/id", with "~0" for "~" and "~1" for "/" within a name, or the name of a header';
    found.push({ setting: 'dedupeBy', value: dedupeBy, problem });
  }
  if (onOversize === 'flush' && maxBytes > BATCH_BYTES_MAX && keepsAll(section)) {
    const problem = `at most ${BATCH_BYTES_MAX}, what one record holds; more with onOversize "split"`;
    found.push({ setting: 'maxBytes', value: maxBytes, problem });
  }
  const { maxStateBytes = Infinity, maxKeyBytes } = section;
  const { maxBytes: windowBytes } = debounceRules(section, reducers);
  const beside = besideItemBytes(maxKeyBytes);
  if (keepsAll(section) && maxStateBytes < windowBytes + beside) {
    const least = `at least ${windowBytes + beside}, maxBytes (${windowBytes}) and ${beside} for the window of an item, with its key`;
    const problem = `${least}: no window could be as large. Raise it, or lower maxBytes or maxKeyBytes`;
    found.push({ setting: 'maxStateBytes', value: maxStateBytes, problem });
  }
  found.push(...reducerProblems(section, reducers));
  if (output.tombstones)
    found.push({ setting: 'output.tombstones', value: true, problem: 'false: batches have no tombstones' });
  for (const { format } of [section.input].flat())
    if (format !== 'auto')
      found.push({ setting: 'input.format', value: format, problem: 'leave it out: items are taken as they are' });
  return found;
}

/** A function is no setting: it comes beside the configuration. */
function reducerProblems({ name, reducer, dedupeBy }: PipelineSection, reducers: Reducers): Problem[] {
  const hasFunction = Object.hasOwn(reducers, name);
  const how = `createProcessor(config, { reducers: { ${JSON.stringify(name)}: (accumulated, item) => … } })`;
  if (reducer !== 'custom') {
    const problem = `"custom": the application gives a reducer for this pipeline`;
    return hasFunction ? [{ setting: 'reducer', value: reducer, problem }] : [];
  }
  const found: Problem[] = [];
  if (!hasFunction) {
    const problem = `"all", "first", "last" or "count"; "custom" needs a function, and so a processor that is embedded: ${how}`;
    found.push({ setting: 'reducer', value: reducer, problem });
  }
  if (dedupeBy !== undefined) {
    const problem = 'leave it out with reducer "custom": which items are alike is known when the window fires';
    found.push({ setting: 'dedupeBy', value: dedupeBy, problem });
  }
  return found;
}
