// The network between processes and brokers: delays, and every way in which a request or its answer does not arrive.
//
// Owns: requests under way.
// Does not own: how brokers handle them, the rates (FaultPlan).
import { Retriable, type DurationMs } from '@flatline/base';
import type { FaultPlan, RequestCrash, RequestFault, RequestKind } from './fault-plan.ts';
import type { SimulatedHost } from './simulated-host.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Ends one request at the broker; called once, immediately or later. */
export interface Answer<T> {
  ok(value: T): void;
  fail(error: Error): void;
}

export interface NetworkRequest<T> {
  readonly kind: RequestKind;
  /** Description for the trace. */
  readonly about: string;
  /** Runs at the broker when the request arrives. */
  readonly serve: (answer: Answer<T>) => void;
  /** The sender gives up after this long without an answer, with Retriable. */
  readonly timeoutMs?: DurationMs;
}

/** kafkajs' own default is 30 s; Flatline sets every request timeout explicitly. */
const REQUEST_TIMEOUT_MS = 10_000;

export class Network {
  readonly #time: VirtualTime;
  readonly #faults: FaultPlan;
  readonly #trace: Trace;
  #outage = false;

  constructor(time: VirtualTime, faults: FaultPlan, trace: Trace) {
    this.#time = time;
    this.#faults = faults;
    this.#trace = trace;
  }

  get outage(): boolean {
    return this.#outage;
  }

  /** Takes all brokers away, or brings them back: requests under way are dropped, nothing is answered. */
  setOutage(outage: boolean): void {
    this.#outage = outage;
    this.#faults.count(outage ? 'outage' : 'outageOver');
    this.#trace.note(outage ? 'outage' : 'outage over');
  }

  /** Never settles if the process dies. @throws Retriable without an answer in time; else the broker's error. */
  request<T>(host: SimulatedHost, request: NetworkRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!host.alive) return;
      const fate = this.#faults.requestFate(request.kind, host.name);
      this.#trace.note(`${host.name} ${request.kind} ${request.about}${fate === undefined ? '' : ` ${fate}`}`);
      if (fate === 'crashBefore') {
        host.kill();
        return;
      }
      const cancelTimeout = this.#giveUpLater(host, request, fate, reject);
      const settle = (outcome: () => void): void => {
        cancelTimeout();
        outcome();
      };
      this.#send(host, request, fate, {
        ok: (value) => {
          settle(() => {
            resolve(value);
          });
        },
        fail: (error) => {
          settle(() => {
            reject(error);
          });
        },
      });
      if (fate === 'crashSent') host.kill();
    });
  }

  /** A dropped request or answer shows either soon, as a closed connection, or as silence until the timeout. */
  #giveUpLater<T>(
    host: SimulatedHost,
    request: NetworkRequest<T>,
    fate: RequestFault | RequestCrash | undefined,
    reject: (error: Error) => void,
  ): () => void {
    const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS;
    const dropped = fate === 'dropped' || fate === 'answerDropped' || fate === 'late';
    const connectionCloses = dropped && this.#faults.coin();
    const waitMs = connectionCloses ? 4 * this.#faults.networkDelayMs() : timeoutMs;
    return host.after(waitMs, () => {
      const why = connectionCloses ? 'the connection closed' : `no answer within ${timeoutMs} ms`;
      reject(new Retriable(`${request.kind} ${request.about}: ${why}`));
    });
  }

  #send<T>(
    host: SimulatedHost,
    request: NetworkRequest<T>,
    fate: RequestFault | RequestCrash | undefined,
    deliver: Answer<T>,
  ): void {
    if (fate === 'dropped') return;
    const delayMs = fate === 'late' ? this.#faults.lateDelayMs() : this.#faults.networkDelayMs();
    const answered = (outcome: () => void): void => {
      if (fate === 'crashDone') host.kill();
      if (fate === undefined) this.#answer(host, outcome);
    };
    this.#time.after(delayMs, () => {
      if (!this.#arrives(host, fate)) return;
      this.#trace.note(`broker gets ${request.kind} ${request.about} of ${host.name}`);
      request.serve({
        ok: (value) => {
          answered(() => {
            deliver.ok(value);
          });
        },
        fail: (error) => {
          answered(() => {
            deliver.fail(error);
          });
        },
      });
    });
  }

  #arrives(host: SimulatedHost, fate: RequestFault | RequestCrash | undefined): boolean {
    if (this.#outage || host.cut === 'toBroker' || host.cut === 'both') return false;
    return host.alive || fate === 'crashSent' || this.#faults.sentSurvives();
  }

  #answer(host: SimulatedHost, outcome: () => void): void {
    this.#time.after(this.#faults.networkDelayMs(), () => {
      if (this.#outage || host.cut === 'fromBroker' || host.cut === 'both') return;
      host.run(outcome);
    });
  }
}
