// A reducer at work: states are bytes, and whatever its functions do costs at most the event that they were called for (S10).
//
// Owns: how former states are read, by the fingerprint of their schema.
// Does not own: where states are kept, what becomes of an event that is refused.
//
// Invariants
//   RD1  The functions get values that were made for the call: what they change of them reaches no state.
//   RD2  A state that is kept can be read, and finished: both were tried when it was made.
//
// Checked
//   not  RD1, RD2: what the functions do is theirs; the tests hand in some that misbehave.
import { assert, ByteReader, ByteWriter, messageOf, unawaited } from '@flatline/base';
import type { Reduced } from '@flatline/ports/formats';
import { bad, type Bad } from '../refusals.ts';
import { type BytesSpan, spanOf } from '../state-bytes.ts';
import { asJson } from './as-json.ts';
import type { BuiltIns } from './built-ins.ts';
import { type Declared, declaredType } from './declared-type.ts';
import { CannotEvolve, type ReadValue, readingAs } from './decoding.ts';
import { encoded, encodeValue, NotOfType } from './encoding.ts';
import type { ReducerEvent } from './built-in/reducer-event.ts';
import type { Reducer } from './reducer.ts';

/** A result is at most so many times its state, and so many bytes more, in JSON. */
const RESULT_TIMES = 8;
const RESULT_MORE_BYTES = 2_048;
/** Characters of a message of an error that is not ours. */
const MESSAGE_MAX = 200;

const utf8 = new TextEncoder();

/** Told of each call of a reducer's functions while it lasts: one that never returns can only be ended from outside. */
export interface ReducerWatch {
  enter(partition: number, offset: number): void;
  leave(): void;
}

/** Where the event lies for which a function is called. */
export interface Caller {
  readonly partition: number;
  readonly offset: number;
}

/** The reducer of a pipeline, as its rules say it. */
export interface NamedReducer {
  readonly reducer: Reducer;
  /** Where it is made of built-in ones; undefined: the functions are the application's. */
  readonly builtIn?: BuiltIns | undefined;
}

export class StateReducer {
  readonly named: NamedReducer;
  readonly #readers = new Map<number, ReadValue>();
  readonly #watch: ReducerWatch | undefined;
  readonly #written = new ByteWriter(256);
  readonly #readState: ReadValue;
  readonly #readResult: ReadValue;

  constructor(named: NamedReducer, watch?: ReducerWatch) {
    this.named = named;
    this.#watch = watch;
    const { state, result } = this;
    this.#readState = readingAs(state.type, state.type);
    this.#readResult = readingAs(result.type, result.type);
    this.#readers.set(state.fingerprint, this.#readState);
  }

  get state(): Declared {
    return this.named.reducer.state;
  }
  get result(): Declared {
    return this.named.reducer.result;
  }

  /** Bytes of the longest result, in JSON or Avro. */
  get resultBytesMax(): number {
    return RESULT_TIMES * this.named.reducer.maxStateBytes + RESULT_MORE_BYTES + utf8.encode(this.result.text).length;
  }

  /** Bytes of the longest state as it is kept. */
  get stateBytesMax(): number {
    return FINGERPRINT_BYTES + this.named.reducer.maxStateBytes;
  }

  /** As the settings of a commit say it: what decides what comes out, and can be said. */
  toJSON(): object {
    const { version, maxStateBytes, state, result } = this.named.reducer;
    const { builtIn } = this.named;
    const schemas = { state: JSON.parse(state.text) as unknown, result: JSON.parse(result.text) as unknown };
    return builtIn === undefined ? { version, maxStateBytes, ...schemas } : { builtIn, maxStateBytes, ...schemas };
  }

  /**
   * Has states of another schema read from now on. `schema`: as `toJSON` said it. Returns why they cannot be, with the field.
   */
  learn(schema: unknown): string | undefined {
    const former = declaredType(schema);
    if (this.#readers.has(former.fingerprint)) return undefined;
    try {
      this.#readers.set(former.fingerprint, readingAs(former.type, this.state.type));
      return undefined;
    } catch (error) {
      if (!(error instanceof CannotEvolve)) throw error;
      return error.field === '' ? error.message : `${error.field}: ${error.message}`;
    }
  }

  knows(fingerprint: number): boolean {
    return this.#readers.has(fingerprint);
  }

  /** The state with the event. `before`: undefined where there was none. `seen`: what it throws refuses the event, too. */
  add(before: BytesSpan | undefined, seen: () => ReducerEvent, caller: Caller): Uint8Array | Bad {
    const { definition } = this.named.reducer;
    return this.#made(caller, 'add', () => definition.add(this.#value(before), seen()));
  }

  merge(earlier: BytesSpan, later: BytesSpan, caller: Caller): Uint8Array | Bad {
    const { definition } = this.named.reducer;
    return this.#made(caller, 'merge', () => definition.merge(this.#value(earlier), this.#value(later)));
  }

  /** null: it threw, or gave more than it may, which it did not when the state was made (RD2): it depends on more than the state, or is another by now. */
  finish(state: BytesSpan | undefined, caller: Caller): Reduced | null {
    try {
      const finished = this.#watched(caller, () => this.#finished(this.#value(state)));
      return this.#bytesOf(finished) <= this.resultBytesMax ? finished : null;
    } catch {
      return null;
    }
  }

  #value(state: BytesSpan | undefined): unknown {
    if (state === undefined) return this.#readState(new ByteReader(this.named.reducer.initial));
    const read = this.#readers.get(fingerprintIn(state));
    assert(read !== undefined, 'a state is of a schema that was looked at when the task began');
    const { bytes, start, length } = state;
    return read(new ByteReader(bytes, start + FINGERPRINT_BYTES, start + length));
  }

  /** Calls a function, and makes a state of what it returns: or says why the event is refused. */
  #made(caller: Caller, name: string, call: () => unknown): Uint8Array | Bad {
    try {
      return this.#watched(caller, () => this.#stateOf(name, unawaited(call())));
    } catch (error) {
      if (error instanceof NotOfType)
        return bad('reducer-failed', `${name} returned what is no state: ${error.message}`);
      if (error instanceof TooLarge) return bad('reduced-too-large', error.message);
      return bad('reducer-failed', `the reducer threw: ${messageOf(error).slice(0, MESSAGE_MAX)}`);
    }
  }

  #stateOf(name: string, value: unknown): Uint8Array {
    const { state, maxStateBytes } = this.named.reducer;
    const out = this.#written;
    out.clear();
    out.u32(state.fingerprint);
    encodeValue(state.type, value, out);
    const length = out.length - FINGERPRINT_BYTES;
    if (length > maxStateBytes)
      throw new TooLarge(`the state that ${name} returned has ${length} bytes, maxStateBytes is ${maxStateBytes}`);
    const bytes = out.copy();
    this.#tryFinish(spanOf(bytes));
    return bytes;
  }

  /** RD2. Built-in results are bounded by their states; a state that is its own result is not: JSON names each field of each item. */
  #tryFinish(state: BytesSpan): void {
    const { reducer, builtIn } = this.named;
    if (builtIn !== undefined) return;
    const bytes = this.#bytesOf(this.#finished(this.#value(state)));
    if (bytes <= this.resultBytesMax) return;
    throw new TooLarge(
      `finish returned ${bytes} bytes, of a state of maxStateBytes ${reducer.maxStateBytes} at most ${this.resultBytesMax}`,
    );
  }

  #bytesOf({ json, avro }: Reduced): number {
    return Math.max(utf8.encode(json).length, avro.length);
  }

  #finished(value: unknown): Reduced {
    const { definition, result } = this.named.reducer;
    const avro = encoded(result.type, definition.finish === undefined ? value : unawaited(definition.finish(value)));
    return { avro, json: asJson(result.type, this.#readResult(new ByteReader(avro))) };
  }

  #watched<T>({ partition, offset }: Caller, call: () => T): T {
    const watch = this.#watch;
    if (watch === undefined) return call();
    watch.enter(partition, offset);
    try {
      return call();
    } finally {
      watch.leave();
    }
  }
}

/** A state as it is kept begins with the fingerprint of its schema, little endian. */
const FINGERPRINT_BYTES = 4;

/** Fingerprint of the schema that a state was written by. */
export function fingerprintIn({ bytes, start, length }: BytesSpan): number {
  return new ByteReader(bytes, start, start + length).u32();
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}
