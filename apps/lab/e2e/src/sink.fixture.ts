// The table that a sink in PostgreSQL makes of visits, beside what lies in the log.
import type { SummaryRecord } from '@flatline/client/parts';
import type { Postgresql } from '@flatline/dev-broker/postgresql';
import { hash } from 'node:crypto';
import type { Running } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import type { Scenario } from './scenario.fixture.ts';
import { Visits } from './visits.fixture.ts';

/** Counts each attempt to insert a row, with the transaction: the primary key alone would hide one too many. */
const ATTEMPTS = `
  CREATE TABLE attempts (incarnation text, revision bigint);
  CREATE FUNCTION attempted() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO attempts VALUES (NEW.incarnation, NEW.revision); RETURN NEW; END $$;
  CREATE TRIGGER attempted BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION attempted();`;

export class SinkScenario {
  readonly visits: Visits;
  readonly #database: Postgresql;

  private constructor(visits: Visits, database: Postgresql) {
    this.visits = visits;
    this.#database = database;
  }

  /** With topics and tables. */
  static async create(database: Postgresql, revisionWindowMs: number, partitions: number): Promise<SinkScenario> {
    const created = new SinkScenario(await Visits.create(revisionWindowMs, partitions), database);
    await succeed([...created.#command, '--create', '--no-follow']);
    database.query(ATTEMPTS);
    return created;
  }

  get scenario(): Scenario {
    return this.visits.scenario;
  }

  get #command(): readonly string[] {
    return ['sink', 'postgres', '--config', this.scenario.config, '--database', this.#database.address];
  }

  /** Starts a sink; resolves at once. */
  start(): Running {
    return flatline([...this.#command, '--json']);
  }

  /** Writes what is left. */
  async finish(): Promise<{ readonly rows: number; readonly repeated: number }> {
    const { stdout } = await succeed([...this.#command, '--json', '--no-follow']);
    // It says how far it is every ten seconds, and at the end.
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as { readonly rows: number; readonly repeated: number };
  }

  /** Reads the log until so many sessions are final, and takes a digest of its rows by partition: of more than memory holds. */
  async digestOfLog(count: number): Promise<readonly PartitionDigest[]> {
    const digests = new Map<number, PartitionDigest>();
    let left = count;
    await this.scenario.following((record) => {
      const digest = digests.get(record.partition) ?? { rows: 0, sum: 0, final: 0 };
      digests.set(record.partition, digest);
      if (record.kind === 'summary') {
        digest.rows += 1;
        digest.sum = (digest.sum + Number.parseInt(hash('md5', wordOf(record)).slice(0, 12), 16)) % 2 ** 48;
        return false;
      }
      digest.final += 1;
      return (left -= 1) === 0;
    });
    return [...digests].sort(([a], [b]) => a - b).map(([, digest]) => digest);
  }

  /** The same of the table, and how many rows were tried. */
  digestOfTable(): { readonly partitions: readonly PartitionDigest[]; readonly attempts: number } {
    const partitions = this.#database.query(`
      SELECT count(*) || ' ' || mod(sum(('x' || substr(md5(${ROW}), 1, 12))::bit(48)::bigint), 281474976710656) || ' ' || count(f.incarnation)
      FROM visits LEFT JOIN (SELECT incarnation, revision FROM visits_final) f USING (incarnation, revision)
      GROUP BY output_partition ORDER BY output_partition`);
    const [attempts] = this.#database.query('SELECT count(*) FROM attempts');
    return {
      partitions: partitions.map((line) => {
        const [rows, sum, final] = line.split(' ').map(Number);
        return { rows: rows!, sum: sum!, final: final! };
      }),
      attempts: Number(attempts),
    };
  }

  /** The log and the table, to be compared. */
  async compared(): Promise<{ readonly log: object; readonly table: object }> {
    const { summaries, tombstones } = await this.scenario.outputsNow();
    const query = (sql: string): readonly string[] => this.#database.query(sql);
    const names = query(`SELECT incarnation || '/' || revision FROM attempts ORDER BY incarnation, revision`);
    return {
      log: {
        rows: summaries.map(wordOf).sort(),
        final: tombstones.map(({ incarnation }) => incarnation).sort(),
        attempts: summaries.map(nameOf).sort(),
      },
      table: {
        rows: [...query(`SELECT ${ROW} FROM visits`)].sort(),
        final: [...query('SELECT incarnation FROM visits_final')].sort(),
        attempts: [...names].sort(),
      },
    };
  }
}

export interface PartitionDigest {
  rows: number;
  /** The first 48 bits of each row's hash, added up modulo 2^48. */
  sum: number;
  /** Sessions whose tombstone has come. */
  final: number;
}

const ROW =
  "incarnation || '/' || revision || ' ' || session_id || ' ' || reason || ' ' || closed_at || ' ' || event_count || ' ' || " +
  "coalesce(summary #>> '{attributes,row}', '-') || ' at ' || output_partition || '-' || output_offset";

function nameOf({ summary: { incarnation, revision } }: SummaryRecord): string {
  return `${incarnation}/${revision}`;
}

function wordOf(record: SummaryRecord): string {
  const { key, reason, closedAt, eventCount, attributes } = record.summary;
  const said = `${Buffer.from(key).toString()} ${reason} ${closedAt} ${eventCount} ${attributes.get('row') ?? '-'}`;
  return `${nameOf(record)} ${said} at ${record.partition}-${record.offset}`;
}
