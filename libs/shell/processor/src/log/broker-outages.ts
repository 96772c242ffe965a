// Logs which brokers answer: a line when one falls silent, a line when it answers again, and between them
// summaries at growing intervals. Each of a process's many connections would say each of its attempts otherwise.
import type { Clock, DurationMs } from '@flatline/base';
import type { ConnectionEvent } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import { SummaryPace } from './summary-pace.ts';

/** A broker that fails again sooner after it answered flaps: its outages are told of at the summaries' pace. */
const SETTLED_MS: DurationMs = 30_000;
/** Time without a failure after which an outage is over, though no connection told of it. */
const OVER_MS: DurationMs = 60_000;

interface Outage {
  /** This goes on while the broker flaps; all else is of the newest outage alone. */
  readonly pace: SummaryPace;
  since: DurationMs;
  attempts: number;
  failedAt: DurationMs;
  /** undefined: it lasts. */
  answeredAt: DurationMs | undefined;
  isSaid: boolean;
  /** Outages since the last that was said. */
  unsaid: number;
}

export class BrokerOutages {
  readonly #log: RuntimeLog;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By address; there are as many as brokers. */
  readonly #outages = new Map<string, Outage>();

  constructor(log: RuntimeLog, clock: Pick<Clock, 'monotonicMs'>) {
    this.#log = log;
    this.#clock = clock;
  }

  note(event: ConnectionEvent): void {
    if (event.kind === 'connected') this.#connected(event.broker);
    else this.#failed(event.broker, event.why);
  }

  #failed(broker: string, why: string): void {
    const now = this.#clock.monotonicMs();
    const outage = this.#outages.get(broker);
    if (outage === undefined || isOver(outage, now)) {
      this.#outages.set(broker, { pace: new SummaryPace(now), ...begunAt(now), isSaid: true, unsaid: 0 });
      this.#log.warn('broker does not answer', { broker, why });
      return;
    }
    if (outage.answeredAt !== undefined) {
      if (!outage.isSaid) outage.unsaid += 1;
      Object.assign(outage, begunAt(now), { isSaid: false });
    } else {
      outage.attempts += 1;
      outage.failedAt = now;
    }
    if (outage.pace.isDue(now)) this.#sumUp(broker, outage, why);
  }

  #sumUp(broker: string, outage: Outage, why: string): void {
    const { attempts, isSaid, unsaid } = outage;
    const forMs = Math.round(outage.failedAt - outage.since);
    const lasting = forMs > 0 ? { forMs, attempts } : {};
    outage.isSaid = true;
    outage.unsaid = 0;
    if (isSaid) this.#log.warn('broker still does not answer', { broker, ...lasting, why });
    else this.#log.warn('broker does not answer', { broker, ...lasting, why, unsaidBefore: unsaid });
  }

  #connected(broker: string): void {
    const outage = this.#outages.get(broker);
    if (outage === undefined || outage.answeredAt !== undefined) return;
    outage.answeredAt = this.#clock.monotonicMs();
    if (!outage.isSaid) return;
    const afterMs = Math.round(outage.answeredAt - outage.since);
    this.#log.info('broker answers again', { broker, afterMs, attempts: outage.attempts });
  }
}

function begunAt(now: DurationMs): Pick<Outage, 'since' | 'attempts' | 'failedAt' | 'answeredAt'> {
  return { since: now, attempts: 1, failedAt: now, answeredAt: undefined };
}

function isOver({ failedAt, answeredAt }: Outage, now: DurationMs): boolean {
  return now - failedAt >= OVER_MS || (answeredAt !== undefined && now - answeredAt >= SETTLED_MS);
}
