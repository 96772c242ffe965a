// One process with pipelines of three kinds on one input, each with its own output, changelog, dead letters and group.
import { type HostPorts, SimulatedDisk, type SimulatedHost, Simulation } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import { leaseKind } from '@flatline/kinds/lease';
import { openSessions, openWindows, textIn } from '@flatline/lab-kinds';
import { openLeaseEventEncoder, RequestFormats } from '@flatline/records/leases';
import { PipelineInstance, type PipelineSettings, ProcessShare } from '@flatline/runtime';
import { INPUT, MAX_KEY_BYTES } from './pipeline-names.ts';

const TIMEOUT_MS = 2_000;
export const PIPELINES = ['sessions', 'leases', 'windows'] as const;
export type PipelineName = (typeof PIPELINES)[number];

/** A key whose batch cannot be encoded: a defect that no record is to blame for, so that the partition stops (I6). */
export const POISON = 'poison';

const events = await openLeaseEventEncoder('json', 'leases', undefined);

/** The last record of a key, and its delay: from the due instant until it was in the log. */
export interface Close {
  readonly key: string;
  readonly delayMs: number;
}

export class SeveralPipelines {
  readonly simulation: Simulation;
  readonly #instances = new Map<PipelineName, PipelineInstance>();
  readonly fatal: Error[] = [];

  constructor(seed: number) {
    this.simulation = new Simulation({ seed });
    const { log } = this.simulation;
    log.createTopic(INPUT, { partitions: 1 });
    const { host, ports } = this.simulation.start('a');
    const share = new ProcessShare();
    for (const name of PIPELINES) {
      for (const topic of ['out', 'changelog', 'dead']) log.createTopic(`${name}-${topic}`, { partitions: 1 });
      this.simulation.group(name, { partitions: 1, sessionTimeoutMs: 10_000 });
      this.#instances.set(name, this.#instance(name, host, ports, share));
    }
  }

  #instance(name: PipelineName, host: SimulatedHost, ports: HostPorts, share: ProcessShare): PipelineInstance {
    const random = this.simulation.random(name);
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const instance = new PipelineInstance({
      share,
      settings: settingsOf(name),
      ports: {
        ...ports,
        stores: ports.storesOn(new SimulatedDisk()),
        input: ports.reader,
        changelog: ports.reader,
        proofs: ports.proof,
        membership: ports.membership(name),
        kind: kindOf(name, host),
        entropy: { id: () => String(random.below(2 ** 32)), seed: () => random.below(2 ** 32) },
        turns: (callback) => {
          host.after(0, callback);
        },
        log,
      },
      onFatal: (error) => this.fatal.push(error),
    });
    void instance.start();
    return instance;
  }

  /** Each key asks for a lease, opens a session and a window, and is not heard from again. */
  async live(keys: readonly string[]): Promise<void> {
    const { time, log } = this.simulation;
    await time.runFor(3_000);
    for (const key of keys) {
      log.produce(INPUT, 0, { key, value: JSON.stringify({ type: 'STARTED', timeoutMs: TIMEOUT_MS }) });
      await time.runFor(150);
    }
    await time.runFor(20_000);
  }

  status(name: PipelineName): ReturnType<PipelineInstance['status']> {
    return this.#instances.get(name)!.status();
  }

  closes(name: PipelineName): Close[] {
    return this.simulation.log.committed(`${name}-out`, 0).flatMap(({ key, value, timestamp }) => {
      const said = value && (JSON.parse(textIn(value)) as Readonly<Record<string, unknown>>);
      const at = said?.['closedAt'] ?? said?.['firedAt'] ?? (said?.['type'] === 'EXPIRED' ? said['at'] : undefined);
      return at === undefined ? [] : [{ key: textIn(key), delayMs: timestamp - Number(at) }];
    });
  }
}

function kindOf(name: PipelineName, host: SimulatedHost): PipelineKind {
  switch (name) {
    case 'sessions':
      return openSessions({ timeoutMs: TIMEOUT_MS, maxDurationMs: undefined, tombstones: true }, host);
    case 'leases':
      return openLeases(host);
    case 'windows':
      return openPoisonedWindows();
  }
}

function openLeases(host: SimulatedHost): PipelineKind {
  const decoder = new RequestFormats({ format: 'json', registry: undefined, clock: host });
  const limits = {
    timeoutMs: TIMEOUT_MS,
    minTimeoutMs: 500,
    maxTimeoutMs: 9_000,
    bucketMs: 0,
    maxDurationMs: undefined,
  };
  const conflicts = { onConflict: 'reject', maxWaiters: 0, lockDelayMs: 0, tokenEpoch: 0 } as const;
  const rules = { ...limits, ...conflicts, maxAttributes: 1, maxAttributeBytes: 64 };
  return leaseKind({ rules, decoder, encoder: events, tombstones: true, outputTopic: 'leases-out' });
}

function openPoisonedWindows(): PipelineKind {
  const limits = { maxItems: 1_000, maxBytes: 100_000, batchBytesMax: 100_000, onOversize: 'flush' } as const;
  const shown = { maxPartsBytes: 100_000, reducer: 'all', reduce: undefined, dedupeBy: undefined } as const;
  const rules = { mode: 'trailing', waitMs: TIMEOUT_MS, maxWaitMs: 0, ...limits, ...shown } as const;
  return openWindows(rules, (batch) => {
    if (textIn(batch.key) === POISON) throw new TypeError(`${POISON} cannot be encoded`);
  });
}

function settingsOf(name: PipelineName): PipelineSettings {
  return {
    name,
    owner: 'a',
    group: name,
    inputTopic: INPUT,
    inputPartitions: 1,
    outputTopic: `${name}-out`,
    changelogTopic: `${name}-changelog`,
    deadLetterTopic: `${name}-dead`,
    letterBytesMax: 100_000,
    transactionalId: (partition) => `${name}.${partition}`,
    input: {
      timestampType: 'LogAppendTime',
      maxKeyBytes: MAX_KEY_BYTES,
      maxFutureMs: 3_600_000,
      maxLeadMs: 60_000,
      liveWithinMs: 300_000,
    },
    tickMs: 10,
    commitIntervalMs: 100,
    electsCleanly: true,
    closeDelayMs: 20,
    proofIntervalMs: 100,
    startFrom: 'earliest',
    handoverMs: 10_000,
    drainMs: 1_000,
    changelogFactor: 4,
    truncateLagMs: 600_000,
    truncateLagBytes: 1e12,
  };
}
