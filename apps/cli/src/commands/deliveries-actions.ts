// Looks at deliveries to webhooks, and has those that were given up tried again.
import { count } from '@flatline/base';
import { KafkaTransactionalWriters } from '@flatline/kafka';
import { enablingRecord, ownRecord, replayedMark, replayingRecord } from '@flatline/notifier/records';
import type { OutgoingRecord, OutgoingRecords } from '@flatline/ports';
import { pause } from '@flatline/system';
import {
  type DeliveryFlags,
  type DeliveryPlace,
  givenUp,
  waiting,
  withDeliveries,
} from '../deliveries/delivery-reading.ts';
import { disabledIn } from '../deliveries/disabled-endpoint.ts';
import { curlOf, deliveryDetails, deliveryTable, deliveryValue } from '../deliveries/delivery-text.ts';
import type { Found, FoundBreaker, FoundDelivery } from '../deliveries/found-delivery.ts';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure, interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';

export interface ListFlags extends DeliveryFlags {
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

export interface ShowFlags extends DeliveryFlags {
  readonly id: string;
}

export interface ReplayFlags extends DeliveryFlags {
  readonly endpoint: string;
  readonly from?: number;
  readonly to?: number;
  readonly rate: number;
  readonly again?: boolean;
}

export interface EnableFlags extends DeliveryFlags {
  readonly endpoint: string;
}

export function runList(flags: ListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { endpoint, from = -Infinity, to = Infinity, limit } = flags;
  return withDeliveries(flags, shell, async (place) => {
    const table = deliveryTable(console.width);
    console.heading(table.heading);
    const totals = { waiting: 0, undeliverable: 0, replayed: 0 };
    const breakers: FoundBreaker[] = [];
    for await (const found of all(place, flags.from)) {
      if ('breaker' in found) {
        if ((endpoint ?? found.endpoint) === found.endpoint) breakers.push(found);
        continue;
      }
      if ((endpoint ?? found.delivery.endpoint) !== found.delivery.endpoint || found.at < from || found.at > to)
        continue;
      if (found.isReplayed === true) {
        totals.replayed += 1;
        continue;
      }
      totals[found.state === 'undeliverable' ? 'undeliverable' : 'waiting'] += 1;
      if (totals.waiting + totals.undeliverable <= limit) console.result(deliveryValue(found), table.line(found));
    }
    for (const { pipeline, partition, endpoint: name, breaker } of breakers)
      if (breaker.kind !== 'closed')
        console.result(
          { kind: 'endpoint', pipeline, partition, endpoint: name, breaker },
          `endpoint ${name} is ${breaker.kind === 'disabled' ? `disabled (${breaker.why})` : 'failing'} in ${pipeline}, partition ${partition}`,
        );
    console.result(
      { kind: 'summary', ...totals, limit },
      console.colors.dim(
        `${count(totals.waiting)} waiting, ${count(totals.undeliverable)} given up; ${count(totals.replayed)} that were given up were sent again since`,
      ),
    );
    return ExitCode.ok;
  });
}

async function* all(place: DeliveryPlace, from: number | undefined): AsyncGenerator<Found> {
  yield* waiting(place);
  yield* givenUp(place, from);
}

/** The newest of it: it may have been given up more than once. */
export function runShow(flags: ShowFlags, console: Console, shell: Shell): Promise<ExitCode> {
  return withDeliveries(flags, shell, async (place) => {
    const byEndpoint = new Map<string, FoundDelivery>();
    for await (const found of all(place, undefined)) {
      if ('breaker' in found || found.delivery.id !== flags.id) continue;
      const { endpoint } = found.delivery;
      if ((flags.endpoint ?? endpoint) !== endpoint) continue;
      const former = byEndpoint.get(endpoint);
      if (former === undefined || former.state === 'undeliverable') byEndpoint.set(endpoint, found);
    }
    for (const found of byEndpoint.values()) {
      const config = place.config.notifier!.endpoints.find(({ name }) => name === found.delivery.endpoint);
      const curl = config === undefined ? undefined : curlOf(found, config);
      const body = Buffer.from(found.delivery.body).toString();
      console.result(
        { ...deliveryValue(found), body, curl },
        `${deliveryDetails(found)}\n\n${curl ?? 'its endpoint is no longer configured'}`,
      );
    }
    if (byEndpoint.size > 0) return ExitCode.ok;
    console.note(`no delivery with the id ${flags.id} waits or was given up: it was delivered, or there is none`);
    return ExitCode.failedCheck;
  });
}

/** Sent in batches of so much of a second. */
const BATCHES_PER_SECOND = 10;

export function runReplay(flags: ReplayFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { endpoint, from, to = Infinity, rate, again = false } = flags;
  const { clock, stop } = shell;
  if (from !== undefined && from > to) throw usageFailure('--from is after --to');
  return withDeliveries(flags, shell, async (place) => {
    const { connection, config } = place;
    // Before looking at what was replayed: it ends another replay, or settles one that broke off.
    const writers = new KafkaTransactionalWriters({ clock, connections: [connection] });
    const writer = await writers.open(`${config.application}.deliveries.replay`);
    const perBatch = Math.max(1, Math.round(rate / BATCHES_PER_SECOND));
    const totals = { deliveries: 0, tooLarge: 0, before: 0 };
    let batch: FoundDelivery[] = [];
    const send = async (): Promise<void> => {
      if (batch.length === 0) return;
      if (stop.signal.aborted) throw interruptedBefore(`all were sent: ${totals.deliveries} were`);
      await writer.commit({ writes: replayWrites(batch, place), offsets: [] });
      totals.deliveries += batch.length;
      const length = batch.length;
      batch = [];
      await pause(clock, (1_000 * length) / rate, stop.signal);
    };
    try {
      await requireEnabled(place, endpoint);
      for await (const found of givenUp(place, from)) {
        if (found.delivery.endpoint !== endpoint || found.at > to) continue;
        if (found.isReplayed === true && !again) totals.before += 1;
        else if (found.why === 'too-large') totals.tooLarge += 1;
        else batch.push(found);
        if (batch.length >= perBatch) await send();
      }
      await send();
    } finally {
      await writer.close();
    }
    console.result({ kind: 'replayed', endpoint, ...totals }, replayText(totals));
    return ExitCode.ok;
  });
}

/** Deliveries for it would be given up once more. */
async function requireEnabled(place: DeliveryPlace, endpoint: string): Promise<void> {
  const places = await disabledIn(place, endpoint);
  if (places.length === 0) return;
  const remedy = `flatline deliveries enable --endpoint ${endpoint} first`;
  throw new CommandFailure(ExitCode.failedCheck, `endpoint ${endpoint} is disabled in ${places.join('; ')}: ${remedy}`);
}

/** Each with its mark: it is sent again if and only if the mark is there. */
function replayWrites(batch: readonly FoundDelivery[], { notified, config }: DeliveryPlace): OutgoingRecords[] {
  const own = (record: OutgoingRecord): OutgoingRecord => ownRecord(record, config.application);
  const together = Map.groupBy(batch, ({ pipeline, partition }) => `${pipeline} ${partition}`);
  return [...together.values()].flatMap((found) => {
    const { pipeline, partition } = found[0]!;
    const { deliveries, undeliverableTopic } = notified.find((each) => each.pipeline.name === pipeline)!;
    const records = found.map(({ delivery }) => own(replayingRecord(delivery)));
    const marks = found.map(({ delivery, offset }) => own(replayedMark(delivery, offset!)));
    return [
      { topic: deliveries.input.topic, partition, records },
      { topic: undeliverableTopic, partition, records: marks },
    ];
  });
}

function replayText({ deliveries, tooLarge, before }: Readonly<Record<'deliveries' | 'tooLarge' | 'before', number>>) {
  const large = tooLarge === 0 ? '' : `; ${count(tooLarge)} were too large to be kept, and are not sent`;
  const left =
    before === 0 ? '' : `; ${count(before)} were sent again before, and are left out (--again includes them)`;
  return `${count(deliveries)} sent again${large}${left}`;
}

export function runEnable(flags: EnableFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { endpoint } = flags;
  const { clock } = shell;
  return withDeliveries(flags, shell, async ({ config, notified, connection }) => {
    const writer = await new KafkaTransactionalWriters({ clock, connections: [connection] }).open(
      `${config.application}.deliveries.enable`,
    );
    try {
      for (const { pipeline, deliveries, endpoints } of notified) {
        if (!endpoints.some(({ name }) => name === endpoint)) continue;
        const { topic } = deliveries.input;
        const { partitions } = await requireTopic(connection, clock, topic);
        const records = [ownRecord(enablingRecord(endpoint), config.application)];
        await writer.commit({
          writes: Array.from({ length: partitions }, (_, partition) => ({ topic, partition, records })),
          offsets: [],
        });
        console.result(
          { kind: 'enabled', endpoint, pipeline: pipeline.name },
          `${endpoint} is enabled for ${pipeline.name}`,
        );
      }
      return ExitCode.ok;
    } finally {
      await writer.close();
    }
  });
}
