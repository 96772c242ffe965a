// PostgreSQL at the other end: a batch and its positions in one transaction.
//
// Owns: the connection, trying again.
// Does not own: what is written (SinkBatch), what statements say (statements.ts).
//
// Invariants
//   PQ1  A part is written only under the lock of its position's row, by the epoch that the row has, at the offset that it has.
//        So a claim waits for a batch under way, and a batch of a former writer finds another epoch.
//   PQ2  A transaction whose end is not known is asked after: its position says if it was committed. The lock of the next look
//        waits until the server has ended it.
//   PQ3  A transaction of a process that stands still is ended by the server (`IDLE_MS`), so that no claim waits for ever.
import {
  assert,
  type Clock,
  type DurationMs,
  Fatal,
  messageOf,
  Misconfigured,
  PartitionStopped,
  Retriable,
} from '@flatline/base';
import { BackOff, pause, withinDeadline } from '@flatline/system';
import { Client, type ClientConfig } from 'pg';
import type { KindTable } from './kind-tables.ts';
import { consequenceOf, postgresMessage } from './postgres-failure.ts';
import type { BatchPart } from './sink-batch.ts';
import type { PartitionClaim, SinkTarget, WrittenBatch } from './sink-target.ts';
import { creation, type Statements, statementsOf } from './statements.ts';
import { type TableName, written } from './table-name.ts';

export interface PostgresOptions {
  readonly clock: Clock;
  /** `postgresql://…`; undefined: what the variables of libpq say (PGHOST, …). Passwords: PGPASSWORD, or a file (PGPASSFILE). */
  readonly url: string | undefined;
  readonly name: TableName;
  readonly table: Pick<KindTable<never>, 'columns' | 'identity' | 'searched' | 'views' | 'rows'>;
  readonly topic: string;
  readonly topicId: string;
  /** Shown in the row of a partition's position. */
  readonly writer: string;
  readonly signal: AbortSignal;
  /** Told each time that the database does not answer. */
  readonly onAway: (why: string) => void;
}

const CONNECT_MS: DurationMs = 10_000;
/** Upper bound on a statement: a batch takes a second or two of a busy server. */
const STATEMENT_MS: DurationMs = 120_000;
const IDLE_MS: DurationMs = 30_000;
const END_MS: DurationMs = 2_000;
const AGAIN = { firstMs: 100, mostMs: 10_000 };

interface PositionRow {
  readonly partition: number;
  readonly epoch: string;
  readonly next_offset: string;
}

export class PostgresTarget implements SinkTarget {
  readonly #options: PostgresOptions;
  readonly #statements: Statements;
  #client: Client | undefined;

  private constructor(options: PostgresOptions) {
    this.#options = options;
    this.#statements = statementsOf(options.name, options.table);
  }

  /** @param create makes what is not there @throws Misconfigured; Retriable where the database does not answer at once */
  static async open(options: PostgresOptions, create: boolean): Promise<PostgresTarget> {
    const target = new PostgresTarget(options);
    try {
      const client = await target.#connected();
      if (create) await target.#create(client);
      await target.#check(client);
      return target;
    } catch (error) {
      await target.close();
      throw target.#translated(refusedBeforeRows(error));
    }
  }

  claim(partition: number, startAt: number): Promise<PartitionClaim> {
    const { topic, topicId, writer, name } = this.#options;
    return this.#patiently(async (client) => {
      const values = [topic, partition, topicId, startAt, writer];
      const { rows } = await client.query<PositionRow & { readonly topic_id: string }>(this.#statements.claim, values);
      const [row] = rows;
      assert(row !== undefined, 'a claim returns its row');
      if (row.topic_id !== topicId)
        throw new Misconfigured(
          `topic ${topic} was deleted and created again since ${written(name)} was filled (its id was ${row.topic_id}, is ${topicId}): ` +
            'give --table another name, or delete the rows of both tables',
        );
      return { epoch: row.epoch, nextOffset: Number(row.next_offset) };
    }).catch((error: unknown) => {
      throw refusedBeforeRows(error);
    });
  }

  async write(parts: readonly BatchPart[]): Promise<WrittenBatch> {
    try {
      return await this.#patiently((client) => this.#transaction(client, parts));
    } catch (error) {
      if (consequenceOf(error) !== 'rows') throw error;
      throw await this.#refusal(parts, error);
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    const ended = client?.end() ?? Promise.resolve();
    await withinDeadline(this.#options.clock, END_MS, ended, () => new Retriable('not ended')).catch(() => undefined);
  }

  /** One at a time: two that create the same table at once fail. */
  async #create(client: Client): Promise<void> {
    const { name, table } = this.#options;
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [written(name)]);
    await client.query(creation(name, table));
    await client.query('COMMIT');
  }

  async #check(client: Client): Promise<void> {
    const { topic, name } = this.#options;
    const { rows: encodings } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
    const encoding = encodings[0]?.server_encoding;
    if (encoding !== 'UTF8')
      throw new Misconfigured(`the database is encoded in ${encoding ?? ''}: create one with ENCODING 'UTF8'`);
    const { rows } = await client.query<{ topic: string }>(this.#statements.otherTopic, [topic]);
    if (rows[0] !== undefined)
      throw new Misconfigured(
        `${written(name)} has outputs of topic ${rows[0].topic}: give --table another name for ${topic}`,
      );
  }

  async #transaction(client: Client, parts: readonly BatchPart[]): Promise<WrittenBatch> {
    const { topic } = this.#options;
    const { lock, insert, finish, advance } = this.#statements;
    await client.query('BEGIN');
    const partitions = parts.map(({ partition }) => partition);
    const { rows } = await client.query<PositionRow>(lock, [topic, partitions]);
    const held = new Map(rows.map((row) => [row.partition, row]));
    const own = parts.filter(({ partition, epoch }) => held.get(partition)?.epoch === epoch);
    const due = own.filter((part) => !isWritten(part, Number(held.get(part.partition)!.next_offset)));
    const given = due.flatMap((part) => part.rows);
    const ends = due.flatMap((part) => part.ends);
    let inserted = 0;
    if (given.length > 0) inserted = (await client.query(insert, [JSON.stringify(given)])).rowCount ?? 0;
    if (ends.length > 0 && finish !== undefined) await client.query(finish, [ends]);
    const numbers = due.map(({ partition }) => partition);
    if (due.length > 0) await client.query(advance, [topic, numbers, due.map(({ to }) => to)]);
    await client.query('COMMIT');
    const fenced = partitions.filter((partition) => !own.some((part) => part.partition === partition));
    return { rows: inserted, repeated: given.length - inserted, fenced };
  }

  /** Finds the row that the database refuses, in a transaction that is not committed. */
  async #refusal(parts: readonly BatchPart[], error: unknown): Promise<PartitionStopped> {
    const { topic, name } = this.#options;
    for (const { partition, rows } of parts)
      for (const row of rows) {
        const refused = await this.#patiently(async (client) => {
          await client.query('BEGIN');
          await client.query(this.#statements.insert, [JSON.stringify([row])]);
          await client.query('ROLLBACK');
        }).then(
          () => undefined,
          (why: unknown) => why,
        );
        if (refused !== undefined && consequenceOf(refused) === 'rows')
          return new PartitionStopped(
            `${written(name)} refuses the record at ${topic}-${partition}-${String(row['output_offset'])}: ` +
              `${postgresMessage(refused)}. Change the table so that it takes it, and start again`,
            refused,
          );
      }
    return new PartitionStopped(`${written(name)} refuses a batch: ${postgresMessage(error)}`, error);
  }

  /** Again, over a new connection, for as long as the database is away. */
  async #patiently<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { clock, signal, onAway } = this.#options;
    const backOff = new BackOff(AGAIN);
    for (;;) {
      try {
        return await work(await this.#connected());
      } catch (error) {
        // A transaction under way ends with its connection, which may not answer any more.
        void this.close();
        if (error instanceof Fatal || consequenceOf(error) !== 'again') throw this.#translated(error);
        onAway(postgresMessage(error));
        await pause(clock, backOff.nextDelayMs(), signal);
        if (signal.aborted) throw this.#translated(error);
      }
    }
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const { url } = this.#options;
    const config: ClientConfig = {
      ...(url !== undefined && { connectionString: url }),
      application_name: 'flatline sink',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_MS,
      keepAlive: true,
    };
    const client = clientOf(config);
    // Told by the statement under way, or by the next one.
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  /** Faults of rows are left to `write`, defects to its caller. */
  #translated(error: unknown): unknown {
    if (error instanceof Fatal || error instanceof Retriable) return error;
    const consequence = consequenceOf(error);
    const message = `PostgreSQL: ${postgresMessage(error)}`;
    if (consequence === 'settings') return new Misconfigured(message, error);
    return consequence === 'again' ? new Retriable(message, error) : error;
  }
}

/** @throws Misconfigured by what the URL says, or a file that it names */
function clientOf(config: ClientConfig): Client {
  try {
    return new Client(config);
  } catch (error) {
    throw new Misconfigured(`the URL of the database cannot be used: ${messageOf(error)}`, error);
  }
}

/** A trigger or constraint refuses tables, or a position, where there is no row of an output yet. */
function refusedBeforeRows(error: unknown): unknown {
  return consequenceOf(error) === 'rows' ? new Misconfigured(`PostgreSQL: ${postgresMessage(error)}`, error) : error;
}

/** True where an earlier try has been committed, though its answer did not come. */
function isWritten({ partition, from, to }: BatchPart, nextOffset: number): boolean {
  if (nextOffset === to) return true;
  if (nextOffset === from) return false;
  throw new Fatal(
    `partition ${partition} stands at ${nextOffset} in the database, not at ${from}: another program has changed its position`,
  );
}
