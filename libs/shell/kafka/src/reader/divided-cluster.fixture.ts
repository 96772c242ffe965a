// Nodes of a cluster that is divided: each answers by what it knows, and one may not know that it leads no more. A server of
// its own, byte by byte from Kafka's message formats, since dividing a real cluster takes much more (apps/lab/chaos does).
import { createServer, type Server, type Socket } from 'node:net';
import { closing } from '../broker.fixture.ts';
import { ApiKey } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';
import { bare, buildBatch } from '../record-batch/batch-builder.fixture.ts';

export const place = { topic: 'divided', partition: 0 };
/** As much of what a node knows as decides its answers. */
export interface NodeView {
  readonly leader: number;
  readonly leaderEpoch: number;
}

const [FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER, OUT_OF_RANGE] = [74, 75, 6, 1];
const UNKNOWN_TOPIC_ID = 100;
const TOPIC_ID = Buffer.alloc(16, 7);
const NO_ERROR = 0;
const KEYS_MAX = 40;

export class DividedNode {
  readonly id: number;
  readonly #cluster: readonly DividedNode[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** One record each, from offset 0 on. */
  readonly log: { readonly key: string; readonly leaderEpoch: number }[] = [];
  view: NodeView = { leader: 1, leaderEpoch: 1 };
  port = 0;
  /** Requests answered, by api key. */
  readonly answered = new Map<number, number>();
  /** While set, no answer of it gets out. */
  silent = false;

  constructor(id: number, cluster: readonly DividedNode[]) {
    this.id = id;
    this.#cluster = cluster;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let bytes = Buffer.alloc(0);
      socket.on('error', () => socket.destroy());
      socket.on('data', (data) => {
        bytes = Buffer.concat([bytes, data]);
        while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
          const end = 4 + bytes.readInt32BE(0);
          this.#take(socket, bytes.subarray(4, end));
          bytes = bytes.subarray(end);
        }
      });
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        if (address !== null && typeof address === 'object') this.port = address.port;
        resolve();
      });
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket, frame: Buffer): void {
    const [apiKey, apiVersion, correlationId] = [frame.readInt16BE(0), frame.readInt16BE(2), frame.readInt32BE(4)];
    const body = new ProtocolReader(frame, 8);
    body.nullableString();
    const answer = apiKey === ApiKey.fetch && apiVersion === 13 ? this.#fetchById(body) : this.#answer(apiKey, body);
    // A fetch that finds nothing is held for a moment, as by a broker.
    const holdMs = apiKey === ApiKey.fetch ? 5 : 0;
    setTimeout(() => {
      if (this.silent) return;
      this.answered.set(apiKey, (this.answered.get(apiKey) ?? 0) + 1);
      socket.write(
        new ProtocolWriter()
          .int32(4 + answer.length)
          .int32(correlationId)
          .raw(answer)
          .finish(),
      );
    }, holdMs);
  }

  #answer(apiKey: number, body: ProtocolReader): Buffer {
    if (apiKey === ApiKey.apiVersions) return apiVersions();
    if (apiKey === ApiKey.metadata) return this.#metadata();
    if (apiKey === ApiKey.fetch) return this.#fetch(body);
    if (apiKey === ApiKey.offsetForLeaderEpoch) return this.#epochEnd(body);
    if (apiKey === ApiKey.findCoordinator) return this.#coordinator();
    if (apiKey === ApiKey.listOffsets) return this.#range(body);
    throw new Error(`a divided node is not asked for api ${apiKey}`);
  }

  #metadata(): Buffer {
    const writer = new ProtocolWriter().noTags().int32(0);
    writer.compactArray(this.#cluster, ({ id, port }) =>
      writer.int32(id).compactString('127.0.0.1').int32(port).uvarint(0).noTags(),
    );
    writer.uvarint(0).int32(-1);
    writer.compactArray([place.topic], (topic) => {
      writer.int16(NO_ERROR).compactString(topic).raw(TOPIC_ID).bool(false);
      writer.compactArray([place.partition], (partition) => {
        writer.int16(NO_ERROR).int32(partition).int32(this.view.leader).int32(this.view.leaderEpoch);
        for (let lists = 0; lists < 3; lists += 1) writer.compactArray([], () => undefined);
        writer.noTags();
      });
      writer.int32(0).noTags();
    });
    return writer.noTags().finish();
  }

  #range(body: ProtocolReader): Buffer {
    body.advance(4 + 1 + 4);
    const topic = body.string();
    body.advance(4 + 4);
    const code = this.#refusal(body.int32());
    const isEnd = body.int64() === -1;
    const writer = new ProtocolWriter().int32(0).int32(1).string(topic).int32(1).int32(place.partition);
    return writer
      .int16(code)
      .int64(-1)
      .int64(isEnd ? this.log.length : 0)
      .int32(-1)
      .finish();
  }

  /** The partition's leader is the coordinator, too. */
  #coordinator(): Buffer {
    const { id, port } = this.#cluster[this.view.leader - 1]!;
    return new ProtocolWriter()
      .int32(0)
      .int16(NO_ERROR)
      .string(null)
      .int32(id)
      .string('127.0.0.1')
      .int32(port)
      .finish();
  }

  #fetch(body: ProtocolReader): Buffer {
    // Replica, wait, least bytes, most bytes, isolation, session and its epoch; then one topic with one partition.
    body.advance(4 + 4 + 4 + 4 + 1 + 4 + 4 + 4);
    const topic = body.string();
    body.advance(4 + 4);
    const refusal = this.#refusal(body.int32());
    const offset = body.int64();
    const end = this.log.length;
    const code = refusal === NO_ERROR && offset > end ? OUT_OF_RANGE : refusal;
    const records =
      code === NO_ERROR ? this.log.slice(offset, end).map((_, index) => this.#batchAt(offset + index)) : [];
    const writer = new ProtocolWriter().int32(0).int16(NO_ERROR).int32(0).int32(1).string(topic).int32(1);
    writer.int32(place.partition).int16(code).int64(end).int64(end).int64(0).int32(0);
    return writer.bytes(Buffer.concat(records)).finish();
  }

  /** v13. From v11 on a follower answers, too, in the epoch that it knows. */
  #fetchById(body: ProtocolReader): Buffer {
    // As above, behind its tags; then one topic, by its id, with one partition.
    body.advance(1 + 4 + 4 + 4 + 4 + 1 + 4 + 4 + 1);
    const topicId = body.uuid();
    body.advance(1 + 4);
    const refusal = topicId === TOPIC_ID.toString('hex') ? this.#epochRefusal(body.int32()) : UNKNOWN_TOPIC_ID;
    const offset = body.int64();
    const end = this.log.length;
    const code = refusal === NO_ERROR && offset > end ? OUT_OF_RANGE : refusal;
    const found = code === NO_ERROR ? this.log.slice(offset, end).map((_, at) => this.#batchAt(offset + at)) : [];
    const records = Buffer.concat(found);
    const writer = new ProtocolWriter().noTags().int32(0).int16(NO_ERROR).int32(0).uvarint(2).raw(TOPIC_ID).uvarint(2);
    writer.int32(place.partition).int16(code).int64(end).int64(end).int64(0).uvarint(0).int32(-1);
    return writer
      .uvarint(records.length + 1)
      .raw(records)
      .noTags()
      .noTags()
      .noTags()
      .finish();
  }

  #epochEnd(body: ProtocolReader): Buffer {
    body.advance(4 + 4);
    const topic = body.string();
    body.advance(4 + 4);
    const code = this.#refusal(body.int32());
    const asked = body.int32();
    const own = this.log.findLast(({ leaderEpoch }) => leaderEpoch <= asked)?.leaderEpoch ?? -1;
    const next = this.log.findIndex(({ leaderEpoch }) => leaderEpoch > asked);
    const writer = new ProtocolWriter().int32(0).int32(1).string(topic).int32(1);
    return writer
      .int16(code)
      .int32(place.partition)
      .int32(own)
      .int64(next < 0 ? this.log.length : next)
      .finish();
  }

  #refusal(currentEpoch: number): number {
    return this.view.leader === this.id ? this.#epochRefusal(currentEpoch) : NOT_LEADER;
  }

  #epochRefusal(currentEpoch: number): number {
    if (currentEpoch < this.view.leaderEpoch) return FENCED_LEADER_EPOCH;
    return currentEpoch > this.view.leaderEpoch ? UNKNOWN_LEADER_EPOCH : NO_ERROR;
  }

  #batchAt(offset: number): Buffer {
    const { key, leaderEpoch } = this.log[offset]!;
    return buildBatch({ baseOffset: offset, records: [bare(0, key)], leaderEpoch });
  }
}

/** Three nodes; the first leads, in epoch 1, and all know it. */
export async function dividedCluster(): Promise<readonly DividedNode[]> {
  const nodes: DividedNode[] = [];
  for (const id of [1, 2, 3]) nodes.push(closing(new DividedNode(id, nodes)));
  await Promise.all(nodes.map((node) => node.listen()));
  return nodes;
}

function apiVersions(): Buffer {
  const writer = new ProtocolWriter().int16(NO_ERROR);
  writer.array(
    Array.from({ length: KEYS_MAX }, (_, key) => key),
    (key) => writer.int16(key).int16(0).int16(20),
  );
  return writer.finish();
}
