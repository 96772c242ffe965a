import { describe, expect, test } from '@jest/globals';
import { ProtocolWriter } from '../connection/protocol-bytes.ts';
import { fetchOf } from './fetch-of.ts';

const BOUNDS = { waitMs: 500, fetchBytes: 1_000, partitionFetchBytes: 100 };
const ID = '0123456789abcdef0123456789abcdef';
const RECORDS = Buffer.from('records');
const NO_ID = '0'.repeat(32);
const at = (topicId: string | undefined) => ({
  partition: { topic: 'beats', partition: 3 },
  topicId,
  leaderEpoch: 5,
  offset: 7,
});

/** As a leader answers in v13, for one partition. */
function answerBytes(topicId: string): Buffer {
  const out = new ProtocolWriter().noTags().int32(0).int16(0).int32(0);
  out.uvarint(2).raw(Buffer.from(topicId, 'hex')).uvarint(2);
  out.int32(3).int16(0).int64(12).int64(11).int64(1);
  out.compactArray([{ producerId: 44, firstOffset: 8 }], ({ producerId, firstOffset }) => {
    out.int64(producerId).int64(firstOffset).noTags();
  });
  out
    .int32(-1)
    .uvarint(RECORDS.length + 1)
    .raw(RECORDS);
  // A tagged field, as later brokers may add: 0, the diverging epoch.
  out.uvarint(1).uvarint(0).uvarint(2).int16(-1);
  return out.noTags().noTags().finish();
}

describe('a fetch', () => {
  test.each([
    ['names topics by their ids where all are known', [ID, ID], 13],
    ['names them by name where one is not known', [ID, undefined], 10],
    ['names them by name where the cluster gives none', [ID, NO_ID], 10],
  ])('[Q1] %s', (_what, ids, version) => {
    expect(fetchOf(ids.map(at), BOUNDS).request.apiVersion).toBe(version);
  });

  test('[Q1] is answered by id, with what is known of each partition, and where its records lie', () => {
    const payload = answerBytes(ID);
    const { partitions } = fetchOf([at(ID)], BOUNDS).decode(payload);
    const [{ start, end, ...said }] = partitions as [(typeof partitions)[number]];
    expect(said).toEqual({
      topic: 'beats',
      partition: 3,
      errorCode: 0,
      highWatermark: 12,
      lastStableOffset: 11,
      logStartOffset: 1,
      aborted: [{ producerId: 44, firstOffset: 8 }],
    });
    expect(payload.subarray(start, end)).toEqual(RECORDS);
  });
});
