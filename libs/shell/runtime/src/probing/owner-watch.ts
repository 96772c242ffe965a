// Notices that another instance's probes have ceased (Q5): who stands still cannot say so itself.
//
// Each owner commits a probe in each `probeIntervalMs`, so what readers see of its changelog grows in each, with traffic or without.
// One whose end stays is frozen, cut off, or at something that takes as long.
//
// Owns: the end of each partition that is looked after, since when it stays.
// Does not own: who has what (the group), who looks after whom (ring.ts).
//
// Invariants
//   QW1  Time in which this process itself stood still is no time in which another was silent.
//   QW2  At most one question per partition is under way.
import { type Cancel, type Clock, type DurationMs, messageOf } from '@flatline/base';
import type { InstancePartitions, LogAdmin } from '@flatline/ports';
import { PROBE_PATIENCE_MS } from '../limits.ts';
import { lookedAfterBy } from './ring.ts';

export interface OwnerWatchParts {
  readonly self: string;
  readonly changelogTopic: string;
  readonly intervalMs: DurationMs;
  readonly clock: Clock;
  readonly admin: Pick<LogAdmin, 'ends' | 'leaderName'>;
  /** Who holds what in the group, as of the last assignment. */
  readonly instances: () => readonly InstancePartitions[];
}

/** A partition of another instance whose probes are not seen. */
export interface SilentOwner {
  readonly partition: number;
  readonly owner: string;
  readonly forMs: DurationMs;
  /** Says what is known of it, and what may be the cause. */
  readonly detail: string;
}

interface Watched {
  readonly owner: string;
  end: number;
  /** By the watch's own count of time: when the end was last seen to grow, and when the question under way was sent. */
  grewAtMs: DurationMs;
  /** When the newest question that was answered was sent: how long the end is known to stay. */
  answeredAtMs: DurationMs;
  askedAtMs: DurationMs | undefined;
  leader: string | undefined;
  trouble: string | undefined;
}

export class OwnerWatch {
  readonly #parts: OwnerWatchParts;
  readonly #watched = new Map<number, Watched>();
  #timer: Cancel | undefined;
  /** Time in which this process has looked, up to the last look. */
  #lookedMs: DurationMs = 0;
  #lastLookAt: DurationMs;

  constructor(parts: OwnerWatchParts) {
    this.#parts = parts;
    this.#lastLookAt = parts.clock.monotonicMs();
  }

  start(): void {
    this.#timer = this.#parts.clock.after(this.#parts.intervalMs, () => {
      this.#look();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.();
    this.#watched.clear();
  }

  /** Ascending by partition. */
  silent(): readonly SilentOwner[] {
    const now = this.#nowMs();
    return [...this.#watched]
      .flatMap(([partition, watched]) => this.#silence(partition, watched, now) ?? [])
      .sort((a, b) => a.partition - b.partition);
  }

  /** Two intervals at most between looks: a process that stood still saw nothing meanwhile. */
  #nowMs(): DurationMs {
    const { clock, intervalMs } = this.#parts;
    return this.#lookedMs + Math.min(clock.monotonicMs() - this.#lastLookAt, 2 * intervalMs);
  }

  #look(): void {
    const { self, instances, clock } = this.#parts;
    const now = this.#nowMs();
    this.#lookedMs = now;
    this.#lastLookAt = clock.monotonicMs();
    const all = instances();
    const silent = new Set(this.silent().map(({ owner }) => owner));
    const names = lookedAfterBy(
      self,
      all.map(({ name }) => name),
      (name) => silent.has(name),
    );
    const owners = new Map(
      all
        .filter(({ name }) => names.includes(name))
        .flatMap(({ name, partitions }) => partitions.map((partition) => [partition, name] as const)),
    );
    for (const [partition, { owner }] of this.#watched)
      if (owners.get(partition) !== owner) this.#watched.delete(partition);
    for (const [partition, owner] of owners) this.#lookAfter(partition, owner, now);
  }

  #lookAfter(partition: number, owner: string, now: DurationMs): void {
    const watched: Watched = this.#watched.get(partition) ?? {
      owner,
      end: -1,
      grewAtMs: now,
      answeredAtMs: now,
      askedAtMs: undefined,
      leader: undefined,
      trouble: undefined,
    };
    this.#watched.set(partition, watched);
    if (watched.askedAtMs !== undefined) return;
    watched.askedAtMs = now;
    void this.#ask(partition, watched);
  }

  /** Never rejects. */
  async #ask(partition: number, watched: Watched): Promise<void> {
    const { admin, changelogTopic: topic } = this.#parts;
    try {
      watched.leader = await admin.leaderName({ topic, partition });
      const { lastStableOffset } = await admin.ends({ topic, partition });
      watched.answeredAtMs = watched.askedAtMs!;
      if (lastStableOffset > watched.end) watched.grewAtMs = watched.answeredAtMs;
      else this.#askWhenLate(partition, watched);
      watched.end = lastStableOffset;
      watched.trouble = undefined;
    } catch (error) {
      watched.trouble = messageOf(error);
    }
    watched.askedAtMs = undefined;
  }

  /** Looks come once in an interval: the next one may be much later than the end has stayed for too long. */
  #askWhenLate(partition: number, watched: Watched): void {
    const { clock, intervalMs } = this.#parts;
    const inMs = watched.grewAtMs + intervalMs + PROBE_PATIENCE_MS - this.#nowMs();
    if (inMs <= 0 || inMs >= intervalMs) return;
    clock.after(inMs, () => {
      if (this.#watched.get(partition) === watched) this.#lookAfter(partition, watched.owner, this.#nowMs());
    });
  }

  #silence(
    partition: number,
    { owner, grewAtMs, answeredAtMs, askedAtMs, leader, trouble }: Watched,
    now: DurationMs,
  ): SilentOwner | undefined {
    const { intervalMs, changelogTopic } = this.#parts;
    const isUnanswered = trouble !== undefined || (askedAtMs !== undefined && now - askedAtMs >= PROBE_PATIENCE_MS);
    const forMs = Math.round((isUnanswered ? now : answeredAtMs) - grewAtMs);
    if (forMs < intervalMs + PROBE_PATIENCE_MS) return undefined;
    const log = `${changelogTopic}/${partition}`;
    const detail = isUnanswered
      ? `${leader ?? 'no broker'} does not say how far ${log} is committed${trouble === undefined ? '' : `: ${trouble}`}`
      : `${owner} has committed nothing to ${log}, neither a probe nor anything else: it is frozen, cut off from the brokers, ` +
        'being restored, or held up';
    return { partition, owner, forMs, detail };
  }
}
