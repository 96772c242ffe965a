// Debian's Prometheus over real processors, with the alerts that operators get on a hastened clock: each alert fires with the fault
// that it is for, none other does, and a sound processor beside them raises none.
import { editingArguments, type SourceEdit } from '@flatline/cluster/source-edits';
import { freePorts } from '@flatline/dev-broker';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Watched } from './alerts.fixture.ts';
import { kill, killAll, type Running } from './child.fixture.ts';
import { hastened } from './hastened-alerts.fixture.ts';
import { openTransaction } from './kafkajs-transaction.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { fetchJson } from './metrics.fixture.ts';
import { installedPrometheus, NO_PROMETHEUS, Prometheus } from './prometheus.fixture.ts';
import { sleep, type ScenarioSettings } from './scenario.fixture.ts';
import { WebhookSink } from './webhook-sink.fixture.ts';

const LOOK_MS = 200;
const BOARD = new URL('../../../../infra/helm/flatline/dashboard.json', import.meta.url);
const program = installedPrometheus();
const tried = new Set<string>();

/** Faults of the product cannot be provoked: these are put into its source. */
const DEFECT: SourceEdit = {
  file: 'libs/shell/records/src/events/json-event-scanner.ts',
  from: 'if (!this.#passes(COMPACT_OCCURRED_AT)) break;',
  to: "throw new Error('planted');",
};
const CLOCK_AHEAD: SourceEdit = {
  file: 'libs/shell/runtime/src/proof/fetch-proof.ts',
  from: '- this.#rules.clockSkewMs;',
  to: '+ 10_000;',
};

let folder: string;
let prometheus: Prometheus;
let control: Watched;
let sink: WebhookSink;
const over = new AbortController();
let watched: Watched[] = [];

/** A case of its own. */
async function watch(name: string, settings: ScenarioSettings = {}): Promise<Watched> {
  const one = await Watched.create(name, prometheus, settings);
  watched.push(one);
  return one;
}

async function expectAlerts(one: Watched, alerts: readonly string[], consequences?: readonly string[]): Promise<void> {
  await one.alerted(alerts, consequences);
  for (const alert of alerts) tried.add(alert);
}

function withEdit(edit: SourceEdit): Record<string, string> {
  return { NODE_OPTIONS: editingArguments([edit]).join(' ') };
}

interface Partitions {
  readonly partitions: readonly { readonly liveEntries: number; readonly stateFill: number }[];
}

async function partitionOf(address: string): Promise<Partitions['partitions'][number]> {
  return (await fetchJson<Partitions>(address, '/api/v1/partitions')).partitions[0]!;
}

async function liveEntries(address: string): Promise<number> {
  return (await partitionOf(address)).liveEntries;
}

async function fillOf(address: string): Promise<number> {
  return (await partitionOf(address)).stateFill;
}

if (program === undefined) {
  test(`not run: the alerts in Prometheus: ${NO_PROMETHEUS}`, () => {
    if (process.env['CI'] !== undefined) throw new Error(`Prometheus: ${NO_PROMETHEUS}`);
    process.stderr.write(`not run: the alerts in Prometheus: ${NO_PROMETHEUS}\n`);
  });
} else
  describe('alerts in a real Prometheus, most of whose minutes are three seconds', () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'flatline-alerts-'));
      prometheus = await Prometheus.start(program, folder, hastened());
      sink = await WebhookSink.open();
      const endpoint = { name: 'sink', url: sink.url, secrets: [{ env: 'SECRET' }], allow: ['127.0.0.1'] };
      const settings = { partitions: 2, pipeline: { standbys: 1 }, notifier: { endpoints: [endpoint] } };
      control = await Watched.create('sound', prometheus, settings);
      control.scenario.setting('probeIntervalMs', 1_000);
      for (const which of ['a', 'b']) await control.start({ SECRET: sink.secret }, `${control.name}-${which}`);
      void control.beating(over.signal).catch(() => undefined);
    }, 120_000);

    afterEach(async () => {
      for (const one of watched) await one.dispose();
      watched = [];
    });

    afterAll(async () => {
      over.abort();
      // Each is there as far as the beginning got.
      await (control as Watched | undefined)?.dispose();
      await killAll();
      (sink as WebhookSink | undefined)?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('[X5] an instance killed; it is back', async () => {
      const one = await watch('killed');
      const running = await one.start();
      await kill(running.child);
      await expectAlerts(one, ['FlatlineInstanceDown']);
      await one.start();
      await one.mended('FlatlineInstanceDown');
    });

    test('[X5] an instance that starts again and again', async () => {
      const one = await watch('restarting');
      const [port] = await freePorts(1);
      one.scenario.setting('http', { port });
      for (let starts = 0; starts < 4; starts += 1) {
        const running = await one.start();
        // Scraped at least once.
        await one.prometheus.scraped(one.name);
        if (starts < 3) await kill(running.child);
      }
      await expectAlerts(one, ['FlatlineRestarts']);
    });

    test('[X5] a worker that ends whenever it is started', async () => {
      const one = await watch('workers', { partitions: 2 });
      const address = await one.watch(one.scenario.startWorkers(2));
      const until = new AbortController();
      const killing = (async () => {
        while (!until.signal.aborted) {
          const { workers } = await fetchJson<{ workers: { worker: number; pid?: number; state: string }[] }>(
            address,
            '/api/v1/workers',
          );
          const second = workers.find(({ worker }) => worker === 2);
          if (second?.state === 'running' && second.pid !== undefined) process.kill(second.pid, 'SIGKILL');
          await sleep(LOOK_MS);
        }
      })();
      await expectAlerts(one, ['FlatlineWorkerDown', 'FlatlineWorkerRestarts'], ['FlatlineNotReady']);
      until.abort();
      await killing;
      await one.mended('FlatlineWorkerDown');
    });

    test('[R3] a partition whose changelog something else has written to', async () => {
      const one = await watch('stopped', { partitions: 2 });
      const first = await one.start();
      await one.send('a', '', 0);
      await one.scenario.outputs(({ tombstones }) => tombstones.length === 1);
      one.prometheus.leave(one.name);
      await one.scenario.stop(first);
      await one.foul(`${one.scenario.application}.${one.name}.changelog`, 0);
      const running = one.scenario.start(one.name);
      await one.watchUnready(running);
      await expectAlerts(one, ['FlatlinePartitionStopped', 'FlatlinePartitionWaits', 'FlatlineNotReady']);
    });

    test('[X5][Q5] a transaction of another application that stays open on the input', async () => {
      const one = await watch('waiting');
      one.scenario.setting('probeIntervalMs', 500);
      await one.start();
      const where = { topic: one.scenario.input, partition: 0 };
      const transaction = await openTransaction(one.scenario.kafka.brokers, where);
      await expectAlerts(one, ['FlatlinePartitionWaits', 'FlatlineProbeStuck'], ['FlatlineNotReady']);
      await transaction.end();
      await one.mended('FlatlinePartitionWaits', 'FlatlineProbeStuck');
    });

    // Side by side, since their bounds are a minute and ten seconds of real time.
    test('[X1] a pace that is too slow; an outage of which much is due; a process that gets no processor for seconds', async () => {
      const slowly = { pipeline: { kind: 'schedule', maxDuePerSecond: 1 } as object };
      const [paced, resumed] = [await watch('paced', slowly), await watch('resumed', slowly)];
      const starved = await watch('starved');
      const due = (delayMs: number, more: Readonly<Record<string, number>> = {}) =>
        Array.from({ length: 150 }, (_, i) => recordOf(`k${i}`, 'x', { 'flatline-delay-ms': delayMs, ...more }));
      await resumed.scenario.producing((producer) => producer.send(due(1_000)));
      await paced.start();
      // A run that may expire goes first, before the clock goes on, so the input waits for the pace.
      const expiring = due(1_000, { 'flatline-expires-ms': 3_600_000 });
      await paced.scenario.producing((producer) => producer.send(expiring));
      const until = new AbortController();
      const running = await starved.start();
      const beating = starved.beating(until.signal);
      const starving = (async () => {
        while (!until.signal.aborted) {
          running.child.kill('SIGSTOP');
          await sleep(12_000);
          running.child.kill('SIGCONT');
          await sleep(3_000);
        }
      })();
      const resuming = (async () => {
        await sleep(75_000);
        await resumed.scenario.producing((producer) => producer.send(due(1_000).slice(0, 1)));
        await resumed.start();
        await expectAlerts(
          resumed,
          ['FlatlineClosesWait'],
          ['FlatlineClosesLate', 'FlatlineFallsBehind', 'FlatlinePartitionWaits'],
        );
      })();
      await Promise.all([
        expectAlerts(starved, ['FlatlineClosesLate']),
        expectAlerts(paced, ['FlatlineFallsBehind'], ['FlatlineClosesLate', 'FlatlinePartitionWaits']),
        resuming,
      ]);
      until.abort();
      await Promise.all([starving, beating]);
    });

    test('[Q5] an owner that stands still, seen by the other instance', async () => {
      const one = await watch('owner', { pipeline: { standbys: 1 } as object });
      one.scenario.setting('probeIntervalMs', 500);
      one.scenario.setting('kafka', { sessionTimeoutMs: 60_000, heartbeatIntervalMs: 1_000 });
      const owner = await one.start({}, `${one.name}-a`);
      await one.start({}, `${one.name}-b`);
      owner.child.kill('SIGSTOP');
      await expectAlerts(one, ['FlatlineInstanceDown', 'FlatlineOwnerSilent'], ['FlatlineNotReady']);
      owner.child.kill('SIGCONT');
      await one.mended('FlatlineOwnerSilent');
    });

    test('[I7] a partition that holds nearly all it may', async () => {
      const one = await watch('full', { timeoutMs: 600_000, pipeline: { maxStateBytes: 1_048_576 } as object });
      const address = await one.watch(one.scenario.start(one.name));
      const value = JSON.stringify({ type: 'VIEW', attributes: { note: 'n'.repeat(1_000) } });
      await one.scenario.producing(async (producer) => {
        for (let i = 0; (await fillOf(address)) <= 0.92; i += 1) await producer.send([recordOf(`k${i}`, value)]);
      });
      await expectAlerts(one, ['FlatlineStateNearlyFull']);
    });

    test('[I1] a record that is refused; the alert ends though the count stays', async () => {
      const one = await watch('refused');
      await one.start();
      await one.send('a', 'no event');
      await expectAlerts(one, ['FlatlineDeadLetters']);
      await one.mended('FlatlineDeadLetters');
    });

    test('[I9] a producer that partitions otherwise', async () => {
      const one = await watch('misplaced', { partitions: 2 });
      await one.start();
      // One of the two is not its own.
      for (const partition of [0, 1]) await one.send('a', '', partition);
      await expectAlerts(one, ['FlatlineMisplacedKeys']);
    });

    test('[C3] a clock that is further ahead than clockSkewMs', async () => {
      const one = await watch('overtaken', { pipeline: { proof: 'fetch' } });
      await one.start(withEdit(CLOCK_AHEAD));
      await one.send('a', '');
      await one.scenario.outputs(({ summaries }) => summaries.length === 1);
      await one.send('b', '');
      await expectAlerts(one, ['FlatlineClockOvertaken']);
    });

    test('[I6] a record at which the processor fails', async () => {
      const one = await watch('defect');
      await one.start(withEdit(DEFECT));
      await one.send('a', '{"type":"VIEW","occurredAt":1700000000000}');
      await expectAlerts(one, ['FlatlineRecordsFailed', 'FlatlineDeadLetters']);
    });

    test('[R2] a damaged local store', async () => {
      const one = await watch('damaged', { timeoutMs: 600_000 });
      const first = await one.start();
      await one.scenario.producing((producer) =>
        producer.send(Array.from({ length: 300 }, (_, i) => recordOf(`k${i}`, ''))),
      );
      const address = await one.watch(first);
      while ((await liveEntries(address)) < 300) await sleep(LOOK_MS);
      await one.scenario.stop(first);
      const file = join(one.scenario.stateDir(one.name), `${one.scenario.application}.${one.name}`, '0', 'state.mdb');
      const bytes = readFileSync(file);
      for (let at = 2 * 4096; at < bytes.length; at += 97) bytes[at] = bytes[at]! ^ 0xff;
      writeFileSync(file, bytes);
      await one.start();
      await expectAlerts(one, ['FlatlineStoresDamaged']);
    });

    const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
    test('[F12][R2] a full disk of the local stores; not run where no file system can be mounted', async () => {
      if (!mayMount) return;
      const one = await watch('disk', { timeoutMs: 600_000 });
      const disk = one.scenario.stateDir(one.name);
      mkdirSync(disk, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2097152', 'tmpfs', disk]);
      try {
        await one.start();
        fill(join(disk, 'filler'));
        const until = new AbortController();
        const beating = one.beating(until.signal);
        await expectAlerts(one, ['FlatlineStoreErrors']);
        until.abort();
        await beating;
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
    });

    test('[N4] an endpoint of webhooks that is down, and one that is given up', async () => {
      const [down, gone] = [await WebhookSink.open(), await WebhookSink.open()];
      gone.answer = (response) => {
        response.writeHead(410).end();
      };
      const endpoints = [down, gone].map(({ url }, i) => {
        return { name: `sink${i}`, url, secrets: [{ env: `SECRET${i}` }], allow: ['127.0.0.1'] };
      });
      const one = await watch('hooks', { notifier: { endpoints } });
      const running: Running = await one.start({ SECRET0: down.secret, SECRET1: gone.secret });
      down.close();
      await one.scenario.producing((producer) =>
        producer.send(Array.from({ length: 20 }, (_, i) => recordOf(`k${i}`, ''))),
      );
      await expectAlerts(one, ['FlatlineEndpointFails', 'FlatlineDeliveriesGivenUp']);
      gone.close();
      await one.scenario.stop(running);
    });

    test.each(boardExpressions())('the board: %s has data, now or while something was wrong', async (expression) => {
      const asked = (pipeline: string): string =>
        expression
          .replaceAll('$job', 'flatline')
          .replaceAll('$pipeline', pipeline)
          .replaceAll('$__rate_interval', '15s');
      const isOfFaults = ONLY_WITH_FAULTS.some((series) => expression.includes(series));
      const now = isOfFaults ? `count_over_time((${asked('.*')})[1h:1s])` : asked(control.name);
      while ((await prometheus.query(now)).length === 0) await sleep(LOOK_MS);
    });

    test('each alert looks at series that there were', async () => {
      for (const selector of selectorsOf(hastened()))
        expect([selector, (await prometheus.query(`last_over_time(${selector}[1h])`)).length]).not.toEqual([
          selector,
          0,
        ]);
    });

    test('nothing that is scraped, and no instance at all', async () => {
      const alone = mkdtempSync(join(tmpdir(), 'flatline-absent-'));
      const empty = await Prometheus.start(program, alone, hastened());
      while (!(await empty.fired('')).includes('FlatlineAbsent')) await sleep(LOOK_MS);
      tried.add('FlatlineAbsent');
      await empty.stop();
      rmSync(alone, { recursive: true, force: true });
    });

    test('a sound processor has raised no alert in all this time', async () => {
      expect(await prometheus.fired(control.name)).toEqual([]);
    });

    test('there is no alert that was not tried', () => {
      const all = [...hastened().matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);
      const left = mayMount ? [] : ['FlatlineStoreErrors'];
      expect([...tried, ...left].toSorted()).toEqual(all.toSorted());
    });
  });

/** Expressions of the board that have a line only while something is wrong. */
const ONLY_WITH_FAULTS = [
  'flatline_probe_stuck_seconds{',
  'flatline_endpoint_breaker{',
  'flatline_partition_clock_timestamp_seconds{',
];

function boardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(BOARD, 'utf8')) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The series that rules look at. */
function selectorsOf(rules: string): string[] {
  return [...new Set(rules.match(/\b\w+\{[^}]*\}/g))].filter((selector) => !selector.includes('$labels'));
}

function fill(path: string): void {
  const block = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeFileSync(path, block, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
