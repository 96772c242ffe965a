// The breakers of a partition's endpoints, as their records say them one after another (N2, N4).
//
// Owns: what each is, and which were enabled since.
// Does not own: what is attempted meanwhile, which no log tells.
import type { DurationMs, Millis } from '@flatline/base';
import type { Fault } from './attempts-kept.ts';

interface Said {
  readonly kind: string;
  readonly until?: Millis;
  readonly opened?: number;
  readonly failedAt?: Millis;
  readonly failingSince?: Millis;
  readonly why?: string;
  readonly since?: Millis;
}

export interface Opened {
  readonly until: Millis;
  /** How often in a row. */
  readonly opened: number;
  /** When the attempt failed that opened it. */
  readonly failedAt: Millis;
}

const OPEN_FIRST_MS: DurationMs = 5e3;
const OPEN_MOST_MS: DurationMs = 3e5;
const SPREAD = 0.2;
const FAILING_MS: DurationMs = 5 * 86_400_000;
const CLOSED: Said = { kind: 'closed' };

export class LoggedBreakers {
  /** By endpoint, with the offset of its record. */
  readonly #all = new Map<string, { readonly said: Said; readonly offset: number }>();
  readonly #enabled = new Set<string>();
  readonly #isWhole: boolean;

  /** `isWhole`: false where records of the log are gone, and a breaker that has none may be any. */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  isKnownDisabled(endpoint: string): boolean {
    return this.#all.get(endpoint)?.said.kind === 'disabled';
  }

  mayBeDisabled(endpoint: string): boolean {
    return this.#all.has(endpoint) ? this.isKnownDisabled(endpoint) : !this.#isWhole;
  }

  /** Offset of the record that keeps it; undefined: none does. */
  keptAt(endpoint: string): number | undefined {
    return this.#all.get(endpoint)?.offset;
  }

  enabled(endpoint: string): void {
    this.#enabled.add(endpoint);
  }

  /** `fields` undefined: its record has a null value. */
  take(endpoint: string, fields: Readonly<Record<string, unknown>> | undefined, offset: number): Fault[] {
    const said = (fields ?? CLOSED) as unknown as Said;
    const former = this.#all.get(endpoint)?.said ?? (this.#isWhole ? CLOSED : undefined);
    this.#all.set(endpoint, { said, offset });
    // It is kept again once in a while, as it is.
    if (former !== undefined && isSame(said, former)) return [];
    // A command may come before what disables it, and be taken behind that.
    const isEnabled = said.kind !== 'disabled' && this.#enabled.delete(endpoint);
    const found =
      said.kind === 'open' ? openFaults(said, former) : said.kind === 'disabled' ? disabledFaults(said, former) : [];
    if (former?.kind === 'disabled' && !isEnabled && said.kind !== 'disabled')
      found.push({
        rule: 'N2',
        what: `the breaker of ${endpoint} is ${said.kind}: it was disabled, and no command has enabled it`,
      });
    return found;
  }
}

function isSame(a: Said, b: Said): boolean {
  return (
    a.kind === b.kind &&
    a.opened === b.opened &&
    a.failedAt === b.failedAt &&
    a.since === b.since &&
    a.failingSince === b.failingSince
  );
}

/** It is open for twice as long as the time before, if it has not been closed since. */
function openFaults({ until = 0, opened = 0, failedAt }: Said, former: Said | undefined): Fault[] {
  // Earlier builds do not say.
  if (failedAt === undefined) return [];
  const times = former === undefined ? opened : former.kind === 'open' ? (former.opened ?? 0) + 1 : 1;
  const fault = openFault({ until, opened, failedAt }, times);
  return fault === undefined ? [] : [{ rule: 'N4', what: `a ${fault}` }];
}

/** In words, where it opens for the `times`th time in a row; undefined: it is open as long as it should be. */
export function openFault({ until, opened, failedAt }: Opened, times: number): string | undefined {
  const openMs = Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** (times - 1));
  const openFor = until - failedAt;
  const isRight = opened === times && openFor >= (1 - SPREAD) * openMs && openFor <= (1 + SPREAD) * openMs;
  return isRight ? undefined : `breaker opens time ${times} in a row, as number ${opened}, for ${openFor} ms`;
}

/** By 410, or five days of nothing but failures. */
function disabledFaults({ why, since = 0 }: Said, former: Said | undefined): Fault[] {
  if (why === 'gone' || former === undefined) return [];
  const failedMs = since - (former.failingSince ?? since);
  return why === 'failing' && failedMs >= FAILING_MS
    ? []
    : [{ rule: 'N4', what: `a breaker is disabled (${why ?? 'no reason'}) after ${failedMs} ms of failures` }];
}
