// A lease in miniature: opened by `START`, kept by `RENEW <token>`, given back by `END <token>`, expired by silence. It stands for
// every kind that is to come: what it needs beyond the contract of kinds, the engine lacks.
import { ByteReader, type Millis } from '@flatline/base';
import {
  type Effects,
  EntryWindow,
  type Kind,
  type KindParts,
  type PipelineKind,
  type Refusal,
  type GroupRecords,
} from '@flatline/kinds';

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

class LeaseWindow extends EntryWindow {
  get renewedAt(): Millis {
    return this.f64[this.f]!;
  }
  set renewedAt(at: Millis) {
    this.f64[this.f] = at;
  }

  /** The offset of the record that started the lease (L3). */
  get token(): number {
    return this.f64[this.f + 1]!;
  }
  set token(offset: number) {
    this.f64[this.f + 1] = offset;
  }
}

type Parts = KindParts<LeaseWindow, { granted: number }>;

export const leaseStub = (timeoutMs: number): PipelineKind<LeaseWindow, { granted: number }> => ({
  format: {
    window: (memory) => new LeaseWindow(memory),
    encode: ({ renewedAt, token }, out) => {
      out.varint(renewedAt);
      out.varint(token);
      return 0;
    },
    decode: (bytes, start, end, entry) => {
      const input = new ByteReader(bytes, start, end);
      entry.renewedAt = input.varint();
      entry.token = input.varint();
      return input.position;
    },
    encodeTouch: ({ renewedAt }, { clock }, out) => {
      out.signedVarint(clock - renewedAt);
    },
    decodeTouch: (bytes, start, end, { clock }, entry) => {
      entry.renewedAt = clock - new ByteReader(bytes, start, end).signedVarint();
    },
  },
  counters: () => ({ granted: 0 }),
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
    return held.after(entry.renewedAt, this.#timeoutMs);
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const { bytes, group, baseOffset } = records;
    for (; records.index < records.end; records.index += 1) {
      const { index } = records;
      const start = group.valueStarts[index]!;
      const said = utf8Reader.decode(bytes.subarray(start, start + Math.max(0, group.valueLengths[index]!)));
      const isLive = effects.find(index);
      if (said === 'START' && !isLive && !effects.open(index)) return { kind: 'noRoom' };
      if (said === 'START' && !isLive)
        this.#grant(baseOffset + group.offsetDeltas[index]!, records.effectiveAt, effects);
      else if (isLive && said === `RENEW ${this.#parts.entry.token}`) this.#renew(records.effectiveAt, effects);
      else if (isLive && said === `END ${this.#parts.entry.token}`) this.#finish('RELEASED', effects.clock, effects);
      else if (!isLive) return { kind: 'bad', reason: 'invalid-token', detail: `${said} of a lease that is not held` };
      else this.#answer(`REJECTED held by ${this.#parts.entry.token}`, effects);
    }
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    this.#finish('EXPIRED', at, effects);
  }

  #grant(offset: number, at: Millis, effects: Effects): void {
    const { entry, counters } = this.#parts;
    entry.renewedAt = at;
    entry.token = offset;
    counters.granted += 1;
    effects.opened();
    effects.changed();
    this.#answer(`GRANTED ${offset}`, effects);
  }

  #renew(at: Millis, effects: Effects): void {
    this.#parts.entry.renewedAt = at;
    effects.changed();
  }

  /** Three records for one instant: what a kind says is its own affair. */
  #finish(what: string, at: Millis, effects: Effects): void {
    const { token } = this.#parts.entry;
    this.#answer(`${what} ${token} at ${at}`, effects);
    this.#answer(`${token} is free`, effects);
    effects.emit({ key: effects.key(), value: null });
    effects.end(at);
  }

  #answer(text: string, effects: Effects): void {
    effects.emit({ key: effects.key(), value: utf8.encode(text) });
  }
}
