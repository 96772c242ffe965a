// Names of tables, safe without being quoted: what could be anything else is refused, and names derived from one fit.
import { Misconfigured } from '@flatline/base';

/** PostgreSQL cuts names at 63 bytes; the longest that is derived from one has 18 more. */
const NAME = /^[a-z_][a-z0-9_]{0,44}$/;

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** @param setting where it was given, for the message @throws Misconfigured */
export function tableNameIn(text: string, setting: string): TableName {
  const [table = '', schema = 'public', ...more] = text.split('.').toReversed();
  if (more.length === 0 && NAME.test(schema) && NAME.test(table)) return { schema, table };
  throw new Misconfigured(
    `${setting} ${JSON.stringify(text)} is no name of a table: give up to 45 of a-z, 0-9 and _, no digit first, ` +
      'with a schema before it and a dot where it is not public, as reports.sessions',
  );
}

/** As statements write it: reserved words, as `user`, are names like any other. */
export function written({ schema, table }: TableName, suffix = ''): string {
  return `"${schema}"."${table}${suffix}"`;
}
