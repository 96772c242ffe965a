// A lease in miniature: opened by `START`, kept by `RENEW <token>`, given back by `END <token>`, expired by silence. It stands for
// every kind that is to come: what it needs beyond the contract of kinds, the engine lacks.
import type { Millis } from '@flatline/base';
import type { Effects, Kind, Refusal, Run } from '@flatline/kinds';
import type { TaskKind } from '@flatline/partition';

type Parts = Parameters<TaskKind['open']>[0];

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

export const leaseStub = (timeoutMs: number): TaskKind => ({
  open: (parts) => new LeaseStub(timeoutMs, parts),
  prepare: () => Promise.resolve(),
});

class LeaseStub implements Kind {
  readonly #timeoutMs: number;
  readonly #parts: Parts;

  constructor(timeoutMs: number, parts: Parts) {
    this.#timeoutMs = timeoutMs;
    this.#parts = parts;
  }

  dueAt(): Millis {
    const { entry, held } = this.#parts;
    return held.after(entry.lastSeenAt, entry.timeoutMs);
  }

  take(run: Run, effects: Effects): Refusal | undefined {
    const { bytes, group, end, baseOffset } = run;
    for (; run.index < end; run.index += 1) {
      const { index } = run;
      const start = group.valueStarts[index]!;
      const said = utf8Reader.decode(bytes.subarray(start, start + Math.max(0, group.valueLengths[index]!)));
      const isLive = effects.find(index);
      if (said === 'START' && !isLive && !effects.open(index)) return { kind: 'noRoom' };
      if (said === 'START' && !isLive) this.#grant(baseOffset + group.offsetDeltas[index]!, run.effectiveAt, effects);
      else if (isLive && said === `RENEW ${this.#token}`) this.#renew(run.effectiveAt, effects);
      else if (isLive && said === `END ${this.#token}`) this.#finish('RELEASED', effects.clock, effects);
      else if (!isLive) return { kind: 'bad', reason: 'not-held', detail: `${said} of a lease that is not held` };
      else this.#answer(`REJECTED held by ${this.#token}`, effects);
    }
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    this.#finish('EXPIRED', at, effects);
  }

  /** The offset of the record that started the lease (L3). */
  get #token(): number {
    return this.#parts.entry.firstOffset;
  }

  #grant(offset: number, at: Millis, effects: Effects): void {
    const { entry } = this.#parts;
    Object.assign(entry, { openedAt: at, lastSeenAt: at, firstOffset: offset, lastOffset: offset, eventCount: 0 });
    Object.assign(entry, { timeoutMs: this.#timeoutMs, timeoutChosen: false, detail: undefined });
    effects.opened();
    effects.changed();
    this.#answer(`GRANTED ${this.#token}`, effects);
  }

  #renew(at: Millis, effects: Effects): void {
    this.#parts.entry.lastSeenAt = at;
    effects.changed();
  }

  /** Three records for one instant: what a kind says is its own affair. */
  #finish(what: string, at: Millis, effects: Effects): void {
    const token = this.#token;
    this.#answer(`${what} ${token} at ${at}`, effects);
    this.#answer(`${token} is free`, effects);
    effects.emit({ key: effects.key(), value: null });
    effects.end(at);
  }

  #answer(text: string, effects: Effects): void {
    effects.emit({ key: effects.key(), value: utf8.encode(text) });
  }
}
