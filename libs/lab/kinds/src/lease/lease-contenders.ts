// The SDK's holders of one lease, each on its own machine: over a slow and lossy network, paused now and then, among brokers whose
// clocks differ by up to `clockSkewMs` (L8).
//
// Owns: the contenders, and the history of their beliefs.
// Does not own: when the log has ended a lease; that is folded afterwards.
import type { Millis, Random } from '@flatline/base';
import { type HeardLease, LeaseHolder } from '@flatline/client/parts';
import type { LogRecord, SimulatedHost, SimulatedPartition, Simulation } from '@flatline/cluster';
import type { LeaseRules } from '@flatline/kinds/lease';
import type { Said } from '@flatline/oracle/lease';
import type { KindScenario } from '../worlds/common-rules.ts';
import { INPUT, OUTPUT } from '../worlds/topics.ts';
import { textIn } from '../worlds/simulated-kind.ts';

/** The key that they contend for, which no device uses; and its partition. */
export const LEADER = 'leader';
export const LEADER_PARTITION = 0;
/** Maximum error of brokers' clocks, either way, in worlds with contending holders. */
export const HOLDERS_BROKERS_SKEW_MS = 200;

const CLOCK_SKEW_MS = 2 * HOLDERS_BROKERS_SKEW_MS;
const ANSWER_WITHIN_MS = 20_000;
const LISTEN_MS = 50;
const NETWORK_MS = 100;
const SLOW_NETWORK_MS = 4_000;
const LOSS = 0.1;
const SLOWNESS = 0.25;
const utf8 = new TextEncoder();

interface Contender {
  readonly name: string;
  readonly host: SimulatedHost;
  holder: LeaseHolder;
  /** True while nothing that it sends arrives. */
  isCut: boolean;
  /** When it has heard all that has been said so far. */
  heardAtMs: number;
}

/** A contender's belief at a moment when the log ended at `end`. */
interface Belief {
  readonly name: string;
  readonly token: number;
  readonly end: number;
}

/** False if a start ends another's lease at once, which no holder can know (L4), or if no broker says when it took a renewal (L8). */
export function hasContenders(
  { onConflict }: LeaseRules,
  { timestampType }: Pick<KindScenario, 'timestampType'>,
): boolean {
  return onConflict !== 'replace' && timestampType === 'LogAppendTime';
}

export class LeaseContenders {
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #input: SimulatedPartition;
  readonly #output: SimulatedPartition;
  readonly #contenders: readonly Contender[];
  readonly #beliefs: Belief[] = [];
  #heard = 0;
  #tries = 0;
  #rests = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#random = simulation.random('holders');
    this.#input = simulation.log.partition(INPUT, LEADER_PARTITION);
    this.#output = simulation.log.partition(OUTPUT, LEADER_PARTITION);
    this.#contenders = ['holder-a', 'holder-b'].map((name) => this.#join(name));
    this.#input.onChange(() => {
      this.#note();
    });
    this.#listen();
  }

  /** Now and then disturbs one of them. */
  act(): void {
    const random = this.#random;
    const contender = this.#contenders[random.below(this.#contenders.length)]!;
    const { host, holder } = contender;
    if (random.chance(0.15)) contender.isCut = !contender.isCut;
    if (host.paused) {
      if (random.chance(0.2)) host.resume();
    } else if (random.chance(0.05)) host.pause();
    else if (random.chance(0.02)) holder.release();
  }

  /** They release their leases, and ask for nothing more. */
  rest(): void {
    if (this.#rests) return;
    this.#rests = true;
    for (const contender of this.#contenders) {
      contender.isCut = false;
      contender.host.resume();
      contender.holder.release();
    }
  }

  /** L8, judged by the folded answers for the key. `records`: the committed input. */
  faultsBy(said: readonly Said[], records: readonly LogRecord[]): string[] {
    const ends = endsOf(said, records);
    return this.#beliefs.flatMap(({ name, token, end }) => {
      const endedAt = ends.get(token);
      if (endedAt === undefined) return [`[L8] ${name} believes in ${token}, which was not granted`];
      return end > endedAt ? [`[L8] ${name} believes in ${token}, which has ended at offset ${endedAt} of ${end}`] : [];
    });
  }

  #join(name: string): Contender {
    const { host } = this.#simulation.start(name);
    const contender = { name, host, holder: undefined as never as LeaseHolder, isCut: false, heardAtMs: 0 };
    contender.holder = this.#holder(contender);
    return contender;
  }

  #holder(contender: Contender): LeaseHolder {
    this.#tries += 1;
    return new LeaseHolder({
      clock: contender.host,
      requestId: `try-${this.#tries}`,
      clockSkewMs: CLOCK_SKEW_MS,
      answerWithinMs: ANSWER_WITHIN_MS,
      ask: { timeoutMs: 3_000, waitMs: 5_000 },
      onHeld: () => {
        this.#simulation.faults.count('lease/heldByContender');
      },
      onOver: (reason) => {
        this.#simulation.faults.count(`lease/contenderOver/${reason}`);
        contender.host.after(this.#random.below(2_000), () => {
          if (!this.#rests) contender.holder = this.#holder(contender);
        });
      },
      send: (value, headers) => this.#send(contender, value, headers),
    });
  }

  /** A request or its acknowledgement may be lost or late. A start, which is sent only once, is never lost, only late. */
  #send(contender: Contender, value: unknown, headers: ReadonlyMap<string, string>): Promise<Millis> {
    const { time, log } = this.#simulation;
    const key = LEADER;
    const content = value === undefined ? '' : value === null ? null : JSON.stringify(value);
    const sent = [...headers].map(([name, of]) => ({ name, value: utf8.encode(of) }));
    return new Promise((resolve) => {
      const arrive = (): void => {
        if (contender.isCut || this.#random.chance(LOSS)) {
          if (value) time.after(SLOW_NETWORK_MS, arrive);
          return;
        }
        void log.produceAcked(INPUT, LEADER_PARTITION, [{ key, value: content, headers: sent }]).then((outcome) => {
          if (outcome.kind !== 'acked' || this.#random.chance(LOSS)) return;
          const appendedAt = this.#input.batchAt(outcome.baseOffset)?.maxTimestamp;
          if (appendedAt !== undefined)
            this.#reach(contender, this.#delayMs(), () => {
              resolve(appendedAt);
            });
        });
      };
      time.after(this.#delayMs(), arrive);
    });
  }

  #reach({ host }: Contender, afterMs: number, deliver: () => void): void {
    this.#simulation.time.after(afterMs, () => {
      host.run(deliver);
    });
  }

  #delayMs(): number {
    return this.#random.below(this.#random.chance(SLOWNESS) ? SLOW_NETWORK_MS : NETWORK_MS);
  }

  /** Delivers the answers to each of them in order. */
  #listen(): void {
    const { time } = this.#simulation;
    for (const said of this.#saidSince())
      for (const contender of this.#contenders) {
        contender.heardAtMs = Math.max(contender.heardAtMs, time.nowMs + this.#delayMs());
        this.#reach(contender, contender.heardAtMs - time.nowMs, () => {
          contender.holder.hear(said);
        });
      }
    if (!this.#rests)
      time.after(LISTEN_MS, () => {
        this.#listen();
      });
  }

  #saidSince(): HeardLease[] {
    const batches = this.#output.read(this.#heard, this.#output.ends().lastStableOffset, Infinity);
    this.#heard = (batches.at(-1)?.lastOffset ?? this.#heard - 1) + 1;
    return batches
      .filter((batch) => !this.#output.isAborted(batch))
      .flatMap(({ records }) => records)
      .filter(({ key, value }) => value !== null && textIn(key) === LEADER)
      .map(({ value }) => JSON.parse(textIn(value)) as HeardLease);
  }

  #note(): void {
    const end = this.#input.ends().lastStableOffset;
    for (const { name, host, holder } of this.#contenders) {
      if (host.paused || !holder.isHeld) continue;
      this.#beliefs.push({ name, token: holder.token, end });
    }
  }
}

/** By token: the offset of the record that has ended the lease. */
function endsOf(said: readonly Said[], records: readonly LogRecord[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const each of said) {
    const token = Number(each?.['token']);
    if (each?.['type'] === 'GRANTED') ends.set(token, Infinity);
    else if (each?.['type'] === 'RELEASED') ends.set(token, Number(each['offset']));
    else if (each?.['type'] === 'EXPIRED') {
      const at = Number(each['at']);
      // By C3 no record need have come so far.
      ends.set(token, records.find(({ timestamp }) => timestamp >= at)?.offset ?? Infinity);
    }
  }
  return ends;
}
