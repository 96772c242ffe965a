// Composition root: configuration → adapters → pipelines; and their orderly end.
//
// Owns: when the process ends.
// Does not own: the end of each pipeline (Pipelines), anything they do.
import { type Clock, type DurationMs, type Millis, Retriable } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import type { KafkaOptions } from '@flatline/kafka';
import { kindOf } from '@flatline/kind-modules';
import type { ReducerWatch } from '@flatline/kinds/reducing';
import { PipelineInstance, ProcessShare, type RuntimeLog, type TaskStatus } from '@flatline/runtime';
import { VERSION } from './version.ts';
import { systemClock } from '@flatline/system';
import { kafkaOptions } from './kafka-options.ts';
import type { ActOutcome, AskedAct } from './acts/act.ts';
import { ActSender } from './acts/act-sender.ts';
import { type Answers, ask } from './directory/asking.ts';
import { type Asking, Here, type HereAnswers, type LookedPipeline } from './directory/here.ts';
import { type HerePage, HerePages, type PageAsking } from './directory/here-pages.ts';
import type { Prompt } from './directory/prompt.ts';
import { BrokerOutages } from './log/broker-outages.ts';
import { calmLog } from './log/calm-log.ts';
import type { IngestServer } from '@flatline/ingest';
import { openIngest } from './open-ingest.ts';
import type { DeliveryStatus, Notifier } from '@flatline/notifier';
import { openNotifierOf } from './notifying/open-notifier.ts';
import { openPipelineAdapters, type PipelineAdapters, sharedBuffers } from './pipeline-adapters.ts';
import { advertised } from './http/advertised.ts';
import { askedOf, type There } from './http/asked-of.ts';
import { type HttpServer, openHttpServer } from './http/http-server.ts';
import { type Metrics, metricsOf } from './http/metrics.ts';
import { openOtlp } from './open-otlp.ts';
import type { OtlpPush } from './otlp/otlp-push.ts';
import type { Observed, PipelineStatus, ProcessView, RestartOutcome } from './http/observed.ts';
import { oneProcess, viewOf } from './http/one-process.ts';
import { pipelineSettings } from './pipeline-settings.ts';
import { pipelineTopicsOf } from './pipeline-topics.ts';
import { Pipelines } from './pipelines.ts';
import { checkAgainstTopics, checkNotes, describedTopics, warnOfPaces } from './start-checks.ts';
import { ReducerWatchdog } from './watchdog/reducer-watchdog.ts';
import { checkTopics } from './topics/check-topics.ts';

export interface ProcessorOptions {
  readonly log: RuntimeLog;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Number of this process among workers that share a state directory, which their supervisor holds. It opens no port: its
   * supervisor answers for it.
   */
  readonly worker?: number | undefined;
  /** Looks at the topics before it begins. Default: no, since `flatline run` has looked, and named each remedy. */
  readonly checksTopics?: boolean;
}

export interface RunningProcessor {
  /** Commits, flushes, leaves the group, closes. Idempotent. */
  stop(): Promise<void>;
  /** Resolves after `stop`; rejects with what ended the process by itself. */
  readonly finished: Promise<void>;
  /** Every assigned partition runs. */
  readonly isReady: boolean;
  /** Where it answers over HTTP: `http://host:port`; empty in a worker. */
  readonly httpAddress: string;
  snapshot(): ProcessorSnapshot;
  /** All that HTTP answers are made of, as it is now. */
  view(): ProcessView;
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  /** Has a stopped partition try again. */
  restart(pipeline: string, partition: number): RestartOutcome;
  /** This process's state of these keys; undefined: it has no such pipeline. */
  lookUp(asking: Asking): Prompt<HereAnswers | undefined>;
  /** Entries of a partition that this process has; undefined: it has no such pipeline. */
  page(asking: PageAsking): Promise<HerePage | undefined>;
  /** As `lookUp`, and by other instances what they have; in words why there is no answer. */
  ask(asking: Asking): Prompt<Answers>;
  /** Appends an operator's act to the input (Q4); undefined: it has no such pipeline. */
  act(asked: AskedAct): Promise<ActOutcome | undefined>;
}

export interface ProcessorSnapshot {
  readonly takenAt: Millis;
  readonly upMs: DurationMs;
  readonly tasks: readonly TaskStatus[];
}

interface RunningPipeline {
  readonly config: PipelineConfig;
  readonly adapters: PipelineAdapters;
  readonly instance: PipelineInstance;
}

/** @throws Fatal, Retriable: nothing is left running or half-done. */
export async function startProcessor(config: FlatlineConfig, options: ProcessorOptions): Promise<RunningProcessor> {
  const processor = new Processor(config, options);
  await processor.start();
  return processor;
}

class Processor implements RunningProcessor, Observed {
  readonly #config: FlatlineConfig;
  readonly #checksTopics: boolean;
  readonly #log: RuntimeLog;
  readonly #kafka: KafkaOptions;
  readonly #clock: Clock;
  readonly worker: number | undefined;
  readonly #metrics: Metrics;
  #otlp: OtlpPush | undefined;
  readonly #here: Here;
  readonly #acts: ActSender;
  /** Pipelines as keys of them are looked up, once one was. */
  readonly #looked = new Map<string, LookedPipeline>();
  #asked: ReturnType<typeof askedOf> | undefined;
  readonly #herePages: HerePages;
  readonly #startedAt: DurationMs;
  readonly #pipelines: Pipelines<RunningPipeline>;
  readonly finished: Promise<void>;
  #finish: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #stopping: Promise<void> | undefined;
  #http: HttpServer | undefined;
  /** Once the port is open. */
  #openEndpoint: string | undefined;
  #ingest: IngestServer | undefined;
  #notifier: Notifier | undefined;
  #hasStarted = false;
  /** Made where there are functions to watch. */
  #watchdog: ReducerWatchdog | undefined;
  /** Timers do not keep a process alive, and during an outage there may be no socket that does. */
  readonly #alive = setInterval(() => undefined, 2 ** 30);

  constructor(config: FlatlineConfig, { log, clock = systemClock, worker, checksTopics = false }: ProcessorOptions) {
    this.#config = config;
    this.#checksTopics = checksTopics;
    this.#pipelines = new Pipelines(config.pipelines.length);
    this.worker = worker;
    this.#log = calmLog(log, clock);
    this.#kafka = kafkaOptions(config, clock, { log: this.#log, outages: new BrokerOutages(log, clock) });
    this.#clock = clock;
    this.#here = new Here(config.instance, clock);
    this.#acts = new ActSender({ pipelines: config.pipelines, kafka: this.#kafka, clock, log: this.#log });
    this.#herePages = new HerePages(clock);
    this.#startedAt = clock.monotonicMs();
    this.finished = new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
    });
    // Where the end is not waited for, the log tells of it.
    this.finished.catch(() => undefined);
    this.#metrics = metricsOf(this);
  }

  async start(): Promise<void> {
    const parts = { config: this.#config, kafka: this.#kafka, clock: this.#clock, log: this.#log };
    warnOfPaces(parts);
    try {
      if (this.worker === undefined)
        this.#http = await openHttpServer(
          this.#config.http,
          oneProcess(this, () => this.metrics()),
          parts,
        );
      const topics = await describedTopics(parts);
      if (this.#checksTopics) checkTopics(pipelineTopicsOf(this.#config), topics);
      const share = new ProcessShare();
      const buffers = sharedBuffers();
      checkAgainstTopics(this.#config, topics);
      await checkNotes(parts);
      for (const pipeline of this.#config.pipelines) {
        const { worker } = this;
        const common = { ...parts, buffers, worker };
        const watch = (topic: string): ReducerWatch => {
          this.#watchdog ??= new ReducerWatchdog();
          return this.#watchdog.of(pipeline.name, topic);
        };
        const adapters = await openPipelineAdapters({ ...common, pipeline, endpoint: this.#endpoint(), watch });
        const instance = new PipelineInstance({
          settings: pipelineSettings(this.#config, pipeline, {
            inputPartitions: topics.get(pipeline.input.topic)!.partitions,
            letterBytesMax: topics.get(pipeline.deadLetterTopic)?.maxMessageBytes,
            electsCleanly: topics.get(pipeline.changelogTopic)?.electsCleanly === true,
            partitionsOf: (topic) => topics.get(topic)!.partitions,
          }),
          ports: adapters.ports,
          onFatal: (error) => {
            this.#pipelineFailed(pipeline.name, error);
          },
          share,
        });
        this.#pipelines.add({ config: pipeline, adapters, instance });
      }
      // Before the group is joined: who cannot take its port has not thrown out whoever holds it, under the same name.
      this.#ingest = await openIngest(this.#config, { ...parts, worker: this.worker });
      // Before the groups are joined, too: it says that an endpoint may not be reached.
      this.#notifier = await openNotifierOf(this.#config, parts);
      await Promise.all(this.#pipelines.all.map(({ instance }) => instance.start()));
      this.#otlp = await openOtlp(this.#config, {
        clock: this.#clock,
        log: this.#log,
        metrics: this.#metrics,
        worker: this.worker,
      });
    } catch (error) {
      await this.#close('abort');
      throw error;
    }
  }

  get isReady(): boolean {
    return this.#stopping === undefined && this.#pipelines.areReady;
  }

  get httpAddress(): string {
    return this.#http?.address ?? '';
  }

  /** A free port is known once it is bound. A supervisor's is not known to its workers. */
  #endpoint(): string {
    const { http } = this.#config;
    if (http.port !== 0 || this.#http === undefined) return advertised(http);
    return advertised({ ...http, port: Number(new URL(this.#http.address).port) });
  }

  get instance(): string {
    return this.#config.instance;
  }

  get application(): string {
    return this.#config.application;
  }

  get version(): string {
    return VERSION;
  }

  get wallNow(): Millis {
    return this.#clock.wallMs();
  }

  get hasStarted(): boolean {
    this.#hasStarted ||= this.#stopping === undefined && this.#pipelines.haveBegun;
    return this.#hasStarted;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  get lookUpFill(): number {
    return this.#here.fill;
  }

  pipelines(): readonly PipelineStatus[] {
    return this.#pipelines.all.map(({ config, adapters, instance }) => ({
      name: config.name,
      kind: config.kind,
      ...(config.deliveriesOf !== undefined && { deliveriesOf: config.deliveriesOf }),
      inputTopic: config.input.topic,
      inputPartitions: instance.inputPartitions,
      ...(config.inputs && { furtherInputTopics: config.inputs.slice(1).map(({ topic }) => topic) }),
      outputTopic: config.output.topic,
      group: config.group,
      timeoutMs: kindOf(config).silence(config),
      ready: instance.isReady,
      interruption: instance.interruption,
      failure: this.#pipelines.failureOf(config.name)?.message,
      storeDrops: adapters.ports.stores.drops(),
      storeErrors: instance.storeErrors,
      tasks: instance.status(),
      standbys: instance.standbys(),
      silentOwners: instance.silentOwners(),
      instances: instance.instances,
    }));
  }

  restart(pipeline: string, partition: number): RestartOutcome {
    const instance = this.#pipelines.all.find(({ config }) => config.name === pipeline)?.instance;
    const task = instance?.status().find((each) => each.partition === partition);
    if (instance === undefined || task === undefined) return 'absent';
    return instance.restart(partition) ? 'restarted' : 'notStopped';
  }

  lookUp(asking: Asking): Prompt<HereAnswers | undefined> {
    const looked = this.#looked.get(asking.pipeline) ?? this.#lookedOf(asking.pipeline);
    return looked && this.#here.answer(looked, asking);
  }

  #lookedOf(name: string): LookedPipeline | undefined {
    const found = this.#pipelines.all.find(({ config }) => config.name === name);
    if (found === undefined) return undefined;
    const { config, instance } = found;
    const view = kindOf(config).view(config);
    const looked: LookedPipeline = {
      name,
      kind: config.kind,
      group: config.group,
      inputPartitions: instance.inputPartitions,
      isKeyed: config.input.partitioner !== 'any',
      get instances() {
        return instance.instances;
      },
      show: (entry, place) => view.shown(entry, place),
      lookAtOnce: (partition, key, how) => instance.lookAtOnce(partition, key, how),
      lookUp: (partition, key, how) => instance.lookUp(partition, key, how),
    };
    this.#looked.set(name, looked);
    return looked;
  }

  act(asked: AskedAct): Promise<ActOutcome | undefined> {
    return this.#acts.send(asked);
  }

  async page(asking: PageAsking): Promise<HerePage | undefined> {
    const found = this.#pipelines.all.find(({ config }) => config.name === asking.pipeline);
    if (found === undefined) return undefined;
    const { config, instance } = found;
    const view = kindOf(config).view(config);
    const { name, kind, group } = config;
    return this.#herePages.page(
      {
        name,
        kind,
        group,
        instances: instance.instances,
        show: (entry, place) => view.shown(entry, place),
        page: (partition, how) => instance.page(partition, how),
      },
      asking,
    );
  }

  ask(asking: Asking): Prompt<Answers> {
    const port = (): HttpServer => {
      if (this.#http === undefined) throw new Retriable('the port is not open');
      return this.#http;
    };
    const there: There = {
      there: (...question) => port().there(...question),
      pageThere: (...question) => port().pageThere(...question),
    };
    this.#asked ??= askedOf(
      oneProcess(this, () => this.metrics()),
      this.#clock,
      there,
    );
    return ask(this.#asked, { ...asking, forwardedBy: undefined });
  }

  /** Where other instances reach this one. Found once: each key that is forwarded asks. */
  get endpoint(): string {
    if (this.#http === undefined) return this.#endpoint();
    this.#openEndpoint ??= this.#endpoint();
    return this.#openEndpoint;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#close('stop').then(() => {
      this.#finish?.resolve();
    });
    return this.#stopping;
  }

  deliveries(): readonly DeliveryStatus[] {
    return this.#notifier?.status() ?? [];
  }

  snapshot(): ProcessorSnapshot {
    return {
      takenAt: this.#clock.wallMs(),
      upMs: this.#clock.monotonicMs() - this.#startedAt,
      tasks: this.#pipelines.all.flatMap(({ instance }) => instance.status()),
    };
  }

  view(): ProcessView {
    return viewOf(this);
  }

  metrics(): Promise<string> {
    return this.#metrics.metrics();
  }

  /** P1: it stops alone; the last one ends the process. */
  #pipelineFailed(name: string, error: Error): void {
    if (this.#stopping !== undefined || !this.#pipelines.fail(name, error)) return;
    // Closing may fail, too: what stopped it is still what is said of it.
    const sayUnclosed = (closing: unknown): void => {
      this.#log.error('not everything was closed', { pipeline: name, error: closing });
    };
    const failed = this.#pipelines.all.find(({ config }) => config.name === name)!;
    if (!this.#pipelines.haveAllFailed) {
      this.#log.error('the pipeline stops; the others go on', { pipeline: name, error });
      this.#pipelines.end(failed, 'abort').catch(sayUnclosed);
      return;
    }
    this.#log.error('the processor stops', { pipeline: name, error });
    this.#stopping = this.#close('abort')
      .catch(sayUnclosed)
      .then(() => {
        this.#finish?.reject(error);
      });
  }

  async #close(how: 'stop' | 'abort'): Promise<void> {
    clearInterval(this.#alive);
    // First: what it has taken is in the log before this instance leaves.
    await this.#ingest?.close();
    // Requests under way to an endpoint may end while their outcome can still be written.
    await this.#notifier?.close();
    await this.#pipelines.endAll(how);
    await this.#watchdog?.close();
    await this.#otlp?.close();
    // Last: what is being closed can be watched until it is.
    await this.#http?.close();
  }
}
