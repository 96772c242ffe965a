// Which brokers answer, as the log tells it: a line when one falls silent, a line when it answers again, and between them
// summaries at growing intervals. Each of a process's many connections would say each of its attempts otherwise.
import type { Clock, DurationMs } from '@flatline/base';
import type { ConnectionEvent } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import { SummaryPace } from './summary-pace.ts';

/** A broker that fails again sooner goes on with the outage it had: flapping is no reason for two lines each time. */
const SETTLED_MS: DurationMs = 60_000;

interface Outage {
  readonly since: DurationMs;
  readonly pace: SummaryPace;
  attempts: number;
  failedAt: DurationMs;
  /** What was last logged. */
  saidDown: boolean;
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
    if (outage === undefined || now - outage.failedAt >= SETTLED_MS) {
      this.#outages.set(broker, { since: now, pace: new SummaryPace(now), attempts: 1, failedAt: now, saidDown: true });
      this.#log.warn('broker does not answer', { broker, why });
      return;
    }
    outage.attempts += 1;
    outage.failedAt = now;
    if (!outage.pace.isDue(now)) return;
    outage.saidDown = true;
    const forMs = Math.round(now - outage.since);
    this.#log.warn('broker still does not answer', { broker, forMs, attempts: outage.attempts, why });
  }

  #connected(broker: string): void {
    const outage = this.#outages.get(broker);
    if (outage?.saidDown !== true) return;
    outage.saidDown = false;
    const afterMs = Math.round(this.#clock.monotonicMs() - outage.since);
    this.#log.info('broker answers again', { broker, afterMs, attempts: outage.attempts });
  }
}
