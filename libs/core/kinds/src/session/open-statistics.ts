import { assert, CHANGELOG_FORMAT_WITH_PACKED_SKETCHES } from '@flatline/base';
import type { KindParts } from '../contract.ts';
import { isClosed } from './closed-mark.ts';
import { readFragments } from './disorder-bytes.ts';
import type { SessionEntry } from './entry.ts';
import type { SessionCounters } from './session-counters.ts';
import type { SessionOptions } from './session-options.ts';
import type { SessionWindow } from './session-window.ts';
import { SessionStatistics } from './statistics/session-statistics.ts';

type Parts = Pick<KindParts<SessionWindow, SessionCounters>, 'partition' | 'entry' | 'changelogFormat'>;

/** undefined: nothing is counted. */
export function openStatistics({ rules, stats: voice }: SessionOptions, parts: Parts): SessionStatistics | undefined {
  const { stats } = rules;
  if (stats === undefined) return undefined;
  assert(voice !== undefined, 'statistics have a topic and an encoder');
  const { partition, entry, changelogFormat } = parts;
  // A former build could not read the other one, in the changelog or where it has statistics shown.
  const sketches = changelogFormat < CHANGELOG_FORMAT_WITH_PACKED_SKETCHES ? 'whole' : 'packed';
  return new SessionStatistics(stats, voice, { partition, sketches, open: () => countedIn(entry) });
}

/** One that waits for revisions has closed, and was counted then (S9). */
function countedIn(entry: SessionWindow): readonly SessionEntry[] {
  if (isClosed(entry)) return [];
  return entry.hasDisorder ? readFragments(entry) : [entry];
}
