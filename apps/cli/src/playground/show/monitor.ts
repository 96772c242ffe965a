// A few sessions as they live and fall silent: beat by beat, until a close says that they have.
//
// Owns: the beats of those that it follows, how long one that has closed stays in sight.
// Does not own: time, which is an argument; drawing (monitor-view.ts).
import type { DurationMs } from '@flatline/base';

/** A session that is followed, at one moment. */
export interface MonitoredSession {
  readonly id: string;
  /** How long ago it was heard, the oldest first. */
  readonly beatsAgoMs: readonly DurationMs[];
  /** Its close, once one was read. */
  readonly closed: { readonly reason: string; readonly agoMs: DurationMs } | undefined;
}

interface Followed {
  readonly beatsAtMs: DurationMs[];
  closed: { readonly reason: string; readonly atMs: DurationMs } | undefined;
}

const FOLLOWED_MAX = 8;
/** Beats of one: more than a trace has room for. */
const BEATS_MAX = 256;
/** One that has closed stays in sight so long. */
const SHOWN_MS: DurationMs = 2_500;
/** A session whose close is not read is given up after this many timeouts. */
const GIVEN_UP_AFTER = 10;

export class Monitor {
  readonly #timeoutMs: DurationMs;
  readonly #lines: ([id: string, followed: Followed] | undefined)[] = Array.from({ length: FOLLOWED_MAX });
  readonly #places = new Map<string, number>();

  constructor(timeoutMs: DurationMs) {
    this.#timeoutMs = timeoutMs;
  }

  /** A session that begins takes a line that is free; while none is, it is not followed. */
  beat(id: string, isFirst: boolean, nowMs: DurationMs): void {
    const followed = this.#followed(id) ?? (isFirst ? this.#follow(id, nowMs) : undefined);
    if (followed === undefined) return;
    followed.beatsAtMs.push(nowMs);
    if (followed.beatsAtMs.length > BEATS_MAX) followed.beatsAtMs.shift();
  }

  close(id: string, reason: string, nowMs: DurationMs): void {
    const followed = this.#followed(id);
    if (followed !== undefined) followed.closed = { reason, atMs: nowMs };
  }

  /** Line by line; each session stays in its own. */
  sessions(nowMs: DurationMs): readonly (MonitoredSession | undefined)[] {
    return this.#lines.map((line) => {
      if (line === undefined) return undefined;
      const [id, { beatsAtMs, closed }] = line;
      return {
        id,
        beatsAgoMs: beatsAtMs.map((atMs) => nowMs - atMs),
        closed: closed && { reason: closed.reason, agoMs: nowMs - closed.atMs },
      };
    });
  }

  #followed(id: string): Followed | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#lines[place]![1];
  }

  #follow(id: string, nowMs: DurationMs): Followed | undefined {
    const place = this.#lines.findIndex((line) => line === undefined || this.#isOver(line[1], nowMs));
    if (place < 0) return undefined;
    const former = this.#lines[place];
    if (former !== undefined) this.#places.delete(former[0]);
    const followed: Followed = { beatsAtMs: [], closed: undefined };
    this.#lines[place] = [id, followed];
    this.#places.set(id, place);
    return followed;
  }

  #isOver({ beatsAtMs, closed }: Followed, nowMs: DurationMs): boolean {
    if (closed !== undefined) return nowMs - closed.atMs >= SHOWN_MS;
    return nowMs - (beatsAtMs.at(-1) ?? nowMs) >= GIVEN_UP_AFTER * this.#timeoutMs;
  }
}
