// What an error of the database asks for. Total: what is not known may pass.
import { messageOf } from '@flatline/base';

/**
 * `again`: the server is away, or another transaction was in the way. `settings`: who runs it has to change something. `rows`: a
 * row is what the database refuses.
 */
export type PostgresConsequence = 'again' | 'settings' | 'rows';

/** By class of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_CLASS: Readonly<Record<string, PostgresConsequence>> = {
  '0A': 'settings',
  '22': 'rows',
  '23': 'rows',
  '28': 'settings',
  '3D': 'settings',
  '3F': 'settings',
  '42': 'settings',
  // Program limits: a value, or an index row, that is too large.
  '54': 'rows',
};
const REMEDIES: Readonly<Record<string, string>> = {
  '28P01': 'give the right password in PGPASSWORD, or in a file that PGPASSFILE names',
  '28000': 'allow the user in pg_hba.conf, or give another',
  '3D000': 'create the database, or correct its name',
  '3F000': 'run it once with --create, or create the schema',
  '42P01': 'run it once with --create, or run the statements that it prints',
  '42703': 'the table is another: give --table a name that is free, and --create',
  '42P10': 'the table has no such primary key: give --table a name that is free, and --create',
  '42501': 'allow the user SELECT, INSERT and UPDATE on the tables, and for --create CREATE on the schema',
};

/** SQLSTATE of an error of the server; undefined: it is another's. */
function stateOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export function consequenceOf(error: unknown): PostgresConsequence {
  return BY_CLASS[stateOf(error)?.slice(0, 2) ?? ''] ?? 'again';
}

/** In words, with what to do where that is known. */
export function postgresMessage(error: unknown): string {
  const state = stateOf(error);
  const remedy = REMEDIES[state ?? ''];
  // A connection that several addresses refuse has no message of its own.
  const said = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
  return `${said}${state === undefined ? '' : ` (SQLSTATE ${state})`}${remedy === undefined ? '' : `: ${remedy}`}`;
}
