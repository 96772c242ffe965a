// Changes that `flatline topics alter` may make to a topic. It refuses whatever could take records away. Pure.
import { STAMP_UNLIMITED } from '@flatline/processor';

export type TopicChange =
  | { readonly kind: 'settings'; readonly topic: string; readonly settings: ReadonlyMap<string, string> }
  | { readonly kind: 'partitions'; readonly topic: string; readonly from: number; readonly to: number };

const UNLIMITED = '-1';
const NO_RETENTION = ['retention.ms', 'retention.bytes'] as const;

/**
 * The settings that make `name` be `value` and delete nothing. Compaction that is switched off leaves the topic to its
 * retention, which what lies there may have outlived long since: it is switched off, too.
 */
export function lossless(
  { name, value }: { readonly name: string; readonly value: string },
  found: ReadonlyMap<string, string>,
): Map<string, string> {
  const settings = new Map([[name, value]]);
  const policy = found.get('cleanup.policy')?.split(',') ?? [];
  if (name === 'cleanup.policy' && !policy.includes('delete'))
    for (const limit of NO_RETENTION) if (found.get(limit) !== UNLIMITED) settings.set(limit, UNLIMITED);
  return settings;
}

const STAMP_LIMITS: readonly string[] = ['message.timestamp.before.max.ms', 'message.timestamp.after.max.ms'];
/** Settings that a user may name, and when a change of them keeps every record. */
const RAISED: readonly string[] = [...NO_RETENTION, 'max.message.bytes', ...STAMP_LIMITS];

/** Why `name` must not become `value`; undefined: it may. */
export function whyNot(name: string, value: string, found: ReadonlyMap<string, string>): string | undefined {
  if (!RAISED.includes(name)) return `only ${RAISED.join(', ')} can be set here`;
  if (!/^(-1|\d{1,19})$/.test(value)) return 'it has to be a whole number, -1 for no limit';
  if (name === 'max.message.bytes' && value === UNLIMITED) return 'it has to be a number of bytes';
  const before = found.get(name) ?? '';
  if (STAMP_LIMITS.includes(name) && value === UNLIMITED)
    return `it has to be a number of milliseconds, ${STAMP_UNLIMITED} for no limit`;
  const limit = (text: string): number => (text === UNLIMITED ? Infinity : Number(text));
  return limit(value) < limit(before) ? `it is ${before}, and less would lose records` : undefined;
}

export function changeText(change: TopicChange, found: ReadonlyMap<string, string>): string {
  if (change.kind === 'partitions') return `${change.topic}: partitions ${change.from} -> ${change.to}`;
  const settings = [...change.settings].map(([name, value]) => `${name} ${found.get(name) ?? '?'} -> ${value}`);
  return `${change.topic}: ${settings.join(', ')}`;
}

/** One change per topic, the settings of all together. */
export function merged(changes: readonly TopicChange[]): TopicChange[] {
  const settings = new Map<string, Map<string, string>>();
  const growths = new Map<string, TopicChange>();
  for (const change of changes)
    if (change.kind === 'partitions') growths.set(change.topic, change);
    else settings.set(change.topic, joined(settings.get(change.topic) ?? new Map(), change.settings));
  const altered = [...settings].map(([topic, each]): TopicChange => ({ kind: 'settings', topic, settings: each }));
  return [...altered, ...growths.values()];
}

/** Where two ask for a limit, none is the safer one. */
function joined(first: ReadonlyMap<string, string>, second: ReadonlyMap<string, string>): Map<string, string> {
  const unlimited = [...first, ...second].filter(([, value]) => value === UNLIMITED);
  return new Map([...first, ...second, ...unlimited]);
}
