// Decides how to go on after an error of the database. Total: an error that neither the server nor the network has told is a defect.
import { messageOf } from '@flatline/base';
import { DatabaseError } from 'pg';

/**
 * `again`: the server is away, or another transaction was in the way. `settings`: who runs it has to change something. `rows`: a
 * row is what the database refuses. `defect`: no second try mends it, nor does another setting.
 */
export type PostgresConsequence = 'again' | 'settings' | 'rows' | 'defect';

/** By class of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_CLASS: Readonly<Record<string, PostgresConsequence>> = {
  '08': 'again',
  '0A': 'settings',
  '21': 'rows',
  '22': 'rows',
  '23': 'rows',
  '25': 'again',
  '28': 'settings',
  // Functions of triggers, and of checks.
  '2F': 'rows',
  '38': 'rows',
  '39': 'rows',
  '3D': 'settings',
  '3F': 'settings',
  '40': 'again',
  '42': 'settings',
  // A view's WITH CHECK OPTION.
  '44': 'rows',
  '53': 'again',
  // Program limits: a value, or an index row, that is too large.
  '54': 'rows',
  '55': 'again',
  '57': 'again',
  '58': 'again',
  F0: 'settings',
  // RAISE of a trigger.
  P0: 'rows',
  XX: 'again',
};
/** Other classes, as RAISE may give them: a trigger refuses something. */
const OTHERWISE: PostgresConsequence = 'rows';
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

/** Messages of pg that have no code. */
const AWAY =
  /^(timeout expired|Query read timeout|Connection terminated|Client (has encountered|was closed)|There was an error establishing)/;
const REFUSED = /^(SASL: |The server does not support SSL)/;
/** Errors of the system, and of sockets that were closed. */
const NETWORK = /^(E[A-Z0-9]+|EAI_[A-Z]+|ERR_(SOCKET|STREAM)_\w+)$/;
const TLS = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^ERR_(SSL|TLS)_/;

/** SQLSTATE of an error of the server; undefined: it is another's. */
function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function consequenceOf(error: unknown): PostgresConsequence {
  const state = stateOf(error);
  if (state !== undefined) return BY_CLASS[state.slice(0, 2)] ?? OTHERWISE;
  if (typeof error !== 'object' || error === null) return 'defect';
  // Each address that was tried has an error of its own.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return consequenceOf(error.errors[0]);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TLS.test(code) || REFUSED.test(messageOf(error))) return 'settings';
  return NETWORK.test(code) || AWAY.test(messageOf(error)) ? 'again' : 'defect';
}

/** In words, with what to do where that is known. */
export function postgresMessage(error: unknown): string {
  const state = stateOf(error);
  const remedy = REMEDIES[state ?? ''];
  // A connection that several addresses refuse has no message of its own.
  const said = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
  return `${said}${state === undefined ? '' : ` (SQLSTATE ${state})`}${remedy === undefined ? '' : `: ${remedy}`}`;
}
