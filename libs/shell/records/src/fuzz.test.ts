// Every decoder of values against damaged bytes (F14). `npm run fuzz` runs more of it.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { fuzz } from '@flatline/base/fuzz';
import { blankEvent } from '@flatline/ports/formats';
import { openEventEncoder } from './events/event-encoder.ts';
import { EventFormats } from './events/event-formats.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { sampleEvent, sampleSummary } from './records.fixture.ts';
import { MemorySchemaRegistry } from './registry/memory-schema-registry.fixture.ts';
import { openSummaryEncoder, SummaryFormats } from './summaries/summary-formats.ts';

const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
/** A reason is a stable code, and its detail is human-readable: neither may carry a hostile value at length (I1, I3). */
const DETAIL_LENGTH_MAX = 1_000;

function checkRefusal(outcome: { readonly kind: string; readonly reason?: string; readonly detail?: string }): void {
  if (outcome.kind !== 'bad') return;
  const { reason = '', detail = '' } = outcome;
  if (!/^[a-z0-9-]{1,64}$/.test(reason) || detail === '' || detail.length > DETAIL_LENGTH_MAX)
    throw new Error(`refused with reason "${reason}" and a detail of ${detail.length} characters`);
}

const clock = new ManualClock();
const registry = new MemorySchemaRegistry();
const events = new EventFormats({ format: 'auto', registry, clock });
const summaries = new SummaryFormats({ format: 'auto', registry, clock });
const eventCorpus: Uint8Array[] = [];
const summaryCorpus: Uint8Array[] = [];

beforeAll(async () => {
  for (const format of ['json', 'avro'] as const) {
    eventCorpus.push((await openEventEncoder(format, 'events', registry)).encode(sampleEvent));
    eventCorpus.push((await openEventEncoder(format, 'events', registry)).encode({}));
    summaryCorpus.push((await openSummaryEncoder(format, 'sums', registry)).encode(sampleSummary()));
  }
  // A recursive writer schema with every type of Avro: what is skipped may be of any shape.
  const recursive = {
    type: 'record',
    name: 'SessionEvent',
    namespace: 'flatline',
    fields: [
      { name: 'deep', type: ['null', 'SessionEvent', { type: 'array', items: 'bytes' }], default: null },
      { name: 'odd', type: { type: 'map', values: ['double', 'float', { type: 'fixed', name: 'F', size: 5 }] } },
      { name: 'type', type: 'string' },
    ],
  };
  const recursiveId = registry.add({ schema: JSON.stringify(recursive), schemaType: 'AVRO' });
  eventCorpus.push(Uint8Array.of(0, 0, 0, 0, recursiveId, 2, 0, 0, 2, 0x41, 0, 2, 0x42));
  for (const id of [1, 2, recursiveId]) {
    await events.prepare(id);
    await summaries.prepare(id);
  }
  eventCorpus.push(text('{"a":[[[{"b":{"c":null}}]],1e308,-0.5],"type":"\\ud83c\\udf88","occurredAt":1.7e12}'));
});

describe('[F14] values that are damaged', () => {
  test('[F14][I1] events: each is read or refused with a reason, and the next good one is read as ever', () => {
    const target = blankEvent();
    const expected = { ...blankEvent(), ...sampleEvent };
    const good = eventCorpus[0]!;
    let fed = 0;
    fuzz(
      {
        name: 'records/event',
        corpus: eventCorpus,
        regressions,
        feed: (bytes) => {
          checkRefusal(events.decode(bytes, 0, bytes.length, target));
          fed += 1;
          if (fed % 16 !== 0) return;
          expect(events.decode(good, 0, good.length, target)).toEqual({ kind: 'event' });
          expect(target).toEqual(expected);
        },
      },
      40_000,
    );
  });

  test('[F14] summaries', () => {
    fuzz(
      {
        name: 'records/summary',
        corpus: summaryCorpus,
        regressions,
        feed: (bytes) => {
          checkRefusal(summaries.decode(bytes));
        },
      },
      15_000,
    );
  });
});
