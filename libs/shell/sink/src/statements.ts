// The statements of a sink, by its table and kind. Pure.
import { type TableName, written } from './table-name.ts';
import type { KindTable } from './kind-tables.ts';

type Table = Pick<KindTable<never>, 'columns' | 'identity' | 'searched' | 'views' | 'rows'>;

/** Name of the table that says, of each partition, where it stands and who may write it. */
function positionsOf(name: TableName): string {
  return written(name, '_positions');
}

/** The statements that `--create` runs, and prints: nothing that exists is changed. */
export function creation(name: TableName, { columns, identity, searched, views }: Table): string {
  const lines = Object.entries(columns).map(([column, type]) => `  ${column} ${type},`);
  const { schema, table } = name;
  return [
    ...(schema === 'public' ? [] : [`CREATE SCHEMA IF NOT EXISTS "${schema}";`]),
    `CREATE TABLE IF NOT EXISTS ${written(name)} (`,
    ...lines,
    `  PRIMARY KEY (${identity.join(', ')})`,
    ');',
    `CREATE INDEX IF NOT EXISTS "${table}_by_key" ON ${written(name)} USING hash (${searched});`,
    ...Object.entries(views).map(([suffix, condition]) =>
      viewUnlessThere(
        written(name, `_${suffix}`),
        `CREATE VIEW ${written(name, `_${suffix}`)} AS SELECT * FROM ${written(name)} WHERE ${condition};`,
      ),
    ),
    `CREATE TABLE IF NOT EXISTS ${positionsOf(name)} (`,
    '  topic text NOT NULL,',
    '  partition integer NOT NULL,',
    '  topic_id text NOT NULL,',
    '  next_offset bigint NOT NULL,',
    '  epoch bigint NOT NULL,',
    '  writer text NOT NULL,',
    '  written_at timestamptz,',
    '  PRIMARY KEY (topic, partition)',
    ');',
  ].join('\n');
}

/** Views have no IF NOT EXISTS. */
function viewUnlessThere(view: string, statement: string): string {
  return `DO $$ BEGIN IF to_regclass('${view}') IS NULL THEN\n  ${statement}\nEND IF; END $$;`;
}

export interface Statements {
  readonly claim: string;
  readonly otherTopic: string;
  readonly lock: string;
  readonly insert: string;
  /** undefined where tombstones say nothing. */
  readonly finish: string | undefined;
  readonly advance: string;
}

export function statementsOf(name: TableName, table: Table): Statements {
  const [rows, positions] = [written(name), positionsOf(name)];
  const columns = Object.keys(table.columns).join(', ');
  const typed = Object.entries(table.columns).map(([column, type]) => `${column} ${type.replace(' NOT NULL', '')}`);
  return {
    otherTopic: `SELECT topic FROM ${positions} WHERE topic <> $1 LIMIT 1`,
    claim: `INSERT INTO ${positions} AS p (topic, partition, topic_id, next_offset, epoch, writer)
VALUES ($1, $2, $3, $4, 1, $5)
ON CONFLICT (topic, partition) DO UPDATE SET epoch = p.epoch + 1, writer = excluded.writer
RETURNING epoch, next_offset, topic_id`,
    lock: `SELECT partition, epoch, next_offset FROM ${positions}
WHERE topic = $1 AND partition = ANY($2::integer[]) ORDER BY partition FOR UPDATE`,
    // One parameter for all rows: JSON is what both sides write and read fastest.
    insert: `INSERT INTO ${rows} (${columns})
SELECT ${columns} FROM json_to_recordset($1::json) AS r(${typed.join(', ')})
ON CONFLICT (${table.identity.join(', ')}) DO NOTHING`,
    finish:
      'final' in table.columns
        ? `UPDATE ${rows} AS t SET final = true FROM unnest($1::text[]) AS e(incarnation)
WHERE t.incarnation = e.incarnation AND NOT t.final
AND t.revision = (SELECT max(o.revision) FROM ${rows} AS o WHERE o.incarnation = t.incarnation)`
        : undefined,
    advance: `UPDATE ${positions} AS p SET next_offset = n.next_offset, written_at = now()
FROM unnest($2::integer[], $3::bigint[]) AS n(partition, next_offset)
WHERE p.topic = $1 AND p.partition = n.partition`,
  };
}
