// A holder whose requests and answers are in the test's hands, in virtual time.
import type { Millis } from '@flatline/base';
import { VirtualTime } from '@flatline/cluster';
import type { HeardLease } from './heard-lease.ts';
import { LeaseHolder, type LeaseHolderParts } from './lease-holder.ts';

interface Sent {
  readonly said: 'start' | 'renewal' | 'end';
  /** The request id or the token. */
  readonly by: string;
  readonly acknowledge: (appendedAt: Millis | undefined) => void;
}

export class HolderBench {
  readonly time = new VirtualTime();
  readonly sent: Sent[] = [];
  readonly over: string[] = [];
  heldCount = 0;
  /** For how long the process has not run: its timers are late by it. */
  sleptMs = 0;
  readonly holder: LeaseHolder;

  constructor(parts: Partial<LeaseHolderParts> = {}) {
    const { time } = this;
    this.holder = new LeaseHolder({
      clock: {
        wallMs: () => 0,
        monotonicMs: () => this.sleptMs + time.nowMicros / 1000,
        after: (delayMs, callback) => time.after(delayMs, callback),
      },
      requestId: 'own',
      clockSkewMs: 100,
      answerWithinMs: 30_000,
      ask: {},
      onHeld: () => {
        this.heldCount += 1;
      },
      onOver: (reason) => {
        this.over.push(reason);
      },
      send: (value, headers) =>
        new Promise((resolve) => {
          this.sent.push({
            said: value === undefined ? 'renewal' : value === null ? 'end' : 'start',
            by: [...headers.values()].join(),
            acknowledge: resolve,
          });
        }),
      ...parts,
    });
  }

  /** Records sent so far, as `renewal 7`. */
  get said(): string[] {
    return this.sent.map(({ said, by }) => `${said} ${by}`);
  }

  granted(token: number, changes: Partial<HeardLease> = {}): void {
    const { nowMs } = this.time;
    this.hear({ type: 'GRANTED', token, requestId: 'own', timeoutMs: 3_000, deadlineAt: nowMs + 3_000, ...changes });
  }

  hear(answer: Partial<HeardLease> & { readonly type: string }): void {
    const silent = { token: undefined, requestId: undefined, timeoutMs: undefined, deadlineAt: undefined };
    this.holder.hear({ ...silent, endsAt: undefined, ...answer });
  }

  /** Acknowledges what was sent as the `index`th, appended at `appendedAt`. */
  acknowledge(index: number, appendedAt: Millis | undefined): void {
    this.sent[index]!.acknowledge(appendedAt);
  }

  pass(ms: number): Promise<void> {
    return this.time.runFor(ms);
  }
}
