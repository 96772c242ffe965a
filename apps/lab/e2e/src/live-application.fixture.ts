// A processor and the SDK over one listener, running on while things are replaced: sessions keep closing, or they do not.
import { connect, type Flatline, type Heartbeats } from '@flatline/client';
import type { SecuredListener } from '@flatline/dev-broker';
import type { Running } from './child.fixture.ts';
import { fetchJson } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { verify } from './verify.fixture.ts';

const LOOK_MS = 200;

interface Readiness {
  readonly reasons: readonly string[];
}

export class LiveApplication {
  readonly scenario: Scenario;
  readonly processor: Running;
  readonly #client: Flatline;
  readonly #heartbeats: Heartbeats;
  readonly #closed = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #address: string;
  #sent = 0;
  #readerEnd: Error | undefined;

  private constructor(
    scenario: Scenario,
    processor: Running,
    address: string,
    sdk: { readonly client: Flatline; readonly heartbeats: Heartbeats },
  ) {
    this.scenario = scenario;
    this.processor = processor;
    this.#address = address;
    this.#client = sdk.client;
    this.#heartbeats = sdk.heartbeats;
    this.#read().catch((error: unknown) => {
      this.#readerEnd = error instanceof Error ? error : new Error(String(error));
      this.#wake();
    });
  }

  /** Both processor and SDK connect by `listener`; `KAFKA_BROKERS` names it, too. */
  static async start(listener: SecuredListener): Promise<LiveApplication> {
    process.env['KAFKA_BROKERS'] = listener.address;
    const scenario = await Scenario.create({ timeoutMs: 2_000, partitions: 2, listener });
    const processor = scenario.start();
    const address = /"address":"([^"]+)"/.exec(await processor.line(/answers over HTTP/))![1]!;
    const client = connect({ brokers: listener.address.split(','), ...listener.kafka });
    const heartbeats = await client.heartbeats({ topic: scenario.input });
    return new LiveApplication(scenario, processor, address, { client, heartbeats });
  }

  /** A session begins by the SDK, the processor closes it, and the SDK reads of it; any obstacle must be temporary. */
  async aSessionCloses(): Promise<void> {
    const key = `visitor-${(this.#sent += 1)}`;
    await Promise.race([this.#heartbeats.beat(key), this.#ended()]);
    const closes = new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (this.#readerEnd !== undefined) reject(this.#readerEnd);
        if (!this.#closed.has(key)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
    await Promise.race([closes, this.#ended()]);
  }

  /** Resolves once `/readyz` gives a reason like this; the processor must live on. */
  async unready(reason: RegExp): Promise<string> {
    let last = '';
    const over = new AbortController();
    const ended = this.#ended().catch((error: unknown) => {
      over.abort(error);
    });
    while (!over.signal.aborted) {
      const { reasons } = await fetchJson<Partial<Readiness>>(this.#address, '/readyz');
      last = (reasons ?? []).join('; ');
      if (reason.test(last)) return last;
      await Promise.race([sleep(LOOK_MS), ended]);
    }
    throw new Error(`ended; the last reason was ${last}`, { cause: over.signal.reason });
  }

  /** Expects a clean end of everything, and correct output of the processor. */
  async finish(): Promise<void> {
    await this.#client.close();
    const code = await this.scenario.stop(this.processor);
    if (code !== 0) throw new Error(`the processor ended with ${code}`);
    const { violations, closed } = await verify(this.scenario);
    if (violations.length > 0 || closed !== this.#sent)
      throw new Error(`${closed} of ${this.#sent} sessions closed: ${JSON.stringify(violations)}`);
  }

  /** Also called after a failure. */
  async dispose(): Promise<void> {
    await this.#client.close().catch(() => undefined);
    await this.scenario.dispose(this.processor);
  }

  async #read(): Promise<void> {
    const group = { topic: this.scenario.output, group: this.scenario.application };
    for await (const { summary } of this.#client.completedSessions(group)) {
      this.#closed.add(Buffer.from(summary.key).toString());
      this.#wake();
    }
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  async #ended(): Promise<never> {
    const { code } = await this.processor.finished;
    throw new Error(`the processor ended with ${code}:\n${this.processor.printed()}`);
  }
}
