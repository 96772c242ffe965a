// Runs a fleet in real time: takes its actions when they are due, sends them, and books the acknowledgements.
//
// Owns: the pace, records sent and not yet acknowledged.
// Does not own: the schedule of actions (Fleet), the truth (Ledger), delivery (the target).
//
// Invariants
//   FS1  Nothing is sent before it is due; late actions are sent at once, in order.
//   FS2  The number of records under way is bounded by the target, which says when to wait.
//   FS3  The ledger hears of a record only by `acknowledged`; each partition acknowledges in the order of sending.
import { assert, type Clock, type DurationMs, type Millis } from '@flatline/base';
import type { OutgoingEvent } from '@flatline/records/events';
import { pause } from '@flatline/system';
import { ENDED, HEARTBEAT, STARTED } from '@flatline/ports/formats';
import type { Fleet, FleetAction, FleetBeat, FleetEnding } from './fleet.ts';
import { type FleetFormat, Ledger, type LedgerEntry } from './ledger.ts';
import { Fifo } from './fifo.ts';

/** Destination of heartbeats. A call that returns a promise must be awaited before the next. */
export interface FleetTarget {
  partitionFor(id: string): number;
  beat(id: string): Promise<void> | undefined;
  event(id: string, event: OutgoingEvent): Promise<void> | undefined;
  end(id: string): Promise<void> | undefined;
  flush(): Promise<void>;
}

export interface FleetSenderOptions {
  readonly fleet: Fleet;
  readonly format: FleetFormat;
  readonly clock: Clock;
  readonly target: FleetTarget;
  /** Told of every session whose truth is complete. */
  readonly onEntry: (entry: LedgerEntry) => void;
  /** Told of every heartbeat as it is sent. Default: none. */
  readonly onBeat?: ((beat: FleetBeat) => void) | undefined;
}

/** Actions sent before acknowledgements and other tasks of the event loop get a turn. */
const SLICE_MAX = 2000;
/** A longer sleep would notice a stop too late. */
const SLEEP_MAX_MS: DurationMs = 100;

interface UnderWay {
  readonly action: FleetBeat | FleetEnding;
  readonly sentAt: Millis;
}

export class FleetSender {
  readonly #options: FleetSenderOptions;
  readonly #ledger: Ledger;
  readonly #underWay = new Map<number, Fifo<UnderWay>>();
  #startedAt: Millis = 0;
  #heartbeats = 0;
  #behindMs: DurationMs = 0;

  constructor(options: FleetSenderOptions) {
    this.#options = options;
    this.#ledger = new Ledger(options.format);
  }

  /** Heartbeats acknowledged, repeated ones included. */
  get heartbeats(): number {
    return this.#heartbeats;
  }

  /** Delay of sending behind the fleet's schedule. */
  get behindMs(): DurationMs {
    return this.#behindMs;
  }

  /** Acknowledges the next `recordCount` records sent to a partition. */
  acknowledged(partition: number, recordCount: number): void {
    const acknowledgedAt = this.#options.clock.wallMs();
    for (let left = recordCount; left > 0; left -= 1) {
      const underWay = this.#queueOf(partition).shift();
      assert(underWay !== undefined, 'only what was sent is acknowledged', { partition, recordCount });
      const { action, sentAt } = underWay;
      if (action.kind === 'beat') this.#heartbeats += 1;
      const entry = this.#ledger.acknowledged(action, { sentAt, acknowledgedAt });
      if (entry !== undefined) this.#options.onEntry(entry);
    }
  }

  /**
   * Resolves when the fleet has ended, or `stop` is aborted, and everything sent is acknowledged; every session
   * heard of then has its ledger entry. @throws as the target's `flush`.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { fleet, clock, target } = this.#options;
    const origin = clock.monotonicMs();
    this.#startedAt = clock.wallMs();
    let sent = 0;
    for (let action = fleet.next(); action !== undefined && !stop.aborted; action = fleet.next()) {
      if (sent >= SLICE_MAX || action.atMs > clock.monotonicMs() - origin) {
        sent = 0;
        if (!(await this.#sleepUntil(origin + action.atMs, stop))) break;
      }
      this.#behindMs = clock.monotonicMs() - origin - action.atMs;
      sent += 1;
      await this.#perform(action);
    }
    await target.flush();
    for (const entry of this.#ledger.cutOff()) this.#options.onEntry(entry);
  }

  /** Takes at least one turn of the event loop. @returns false if it was stopped. */
  async #sleepUntil(dueAtMs: DurationMs, stop: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    do {
      const delayMs = Math.min(SLEEP_MAX_MS, Math.max(0, dueAtMs - clock.monotonicMs()));
      await pause(clock, delayMs);
    } while (clock.monotonicMs() < dueAtMs && !stop.aborted);
    return !stop.aborted;
  }

  #perform(action: FleetAction): Promise<void> | undefined {
    if (action.kind === 'lost') {
      this.#ledger.lost(action);
      return undefined;
    }
    const { target, clock } = this.#options;
    this.#ledger.sending(action);
    // Comes before the call: an acknowledgement may arrive while that waits for room.
    this.#queueOf(target.partitionFor(action.sessionId)).push({ action, sentAt: clock.wallMs() });
    if (action.kind === 'end') return this.#end(action);
    this.#options.onBeat?.(action);
    return this.#beat(action);
  }

  #beat(action: FleetBeat): Promise<void> | undefined {
    const { target, format } = this.#options;
    if (format === 'bare') return target.beat(action.sessionId);
    const { sequence, occurredAtMs } = action;
    const occurredAt = this.#startedAt + occurredAtMs;
    return target.event(action.sessionId, { type: sequence === 0 ? STARTED : HEARTBEAT, occurredAt, sequence });
  }

  #end(action: FleetEnding): Promise<void> | undefined {
    const { target, format } = this.#options;
    if (action.by === 'null') return target.end(action.sessionId);
    if (format === 'bare') return target.event(action.sessionId, { type: ENDED });
    const occurredAt = this.#startedAt + action.atMs;
    return target.event(action.sessionId, { type: ENDED, occurredAt, sequence: action.sequence });
  }

  #queueOf(partition: number): Fifo<UnderWay> {
    let queue = this.#underWay.get(partition);
    if (queue === undefined) {
      queue = new Fifo();
      this.#underWay.set(partition, queue);
    }
    return queue;
  }
}
