// Flags several commands share, and how their values are read. An error names the flag, the value and what is allowed;
// commander adds the flag's name.
import { type KindName, millisecondsIn } from '@flatline/base';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Upper bound on `--limit` of a list. */
export const LISTED_MAX = 10_000;

export function jsonOption(): Option {
  return new Option('--json', 'machine-readable: one JSON value per line on standard output');
}

export function configOption(): Option {
  return new Option(
    '--config <file>',
    'configuration file (default: flatline.config.ts, .json or .yaml in this folder)',
  );
}

export function urlOption(): Option {
  return new Option(
    '--url <address>',
    "where it answers over HTTP (default: the configuration's http.host and http.port)",
  ).argParser(httpAddress);
}

/** For commands that show all instances: it may be given several times. */
export function urlsOption(): Option {
  return new Option(
    '--url <address>',
    "where an instance answers over HTTP, of several each (default: the configuration's http.host and http.port)",
  ).argParser((text, former: readonly string[] | undefined) => [...(former ?? []), httpAddress(text)]);
}

/** For commands that ask a running processor. */
export function httpPortOption(): Option {
  const description = "its HTTP port, if `flatline run` was given another than the configuration's";
  return new Option('--http-port <port>', description).argParser(port);
}

export function tokenFileOption(): Option {
  return new Option('--token-file <file>', 'file with a token of its http.auth, where it asks for one');
}

export function caOption(): Option {
  return new Option(
    '--ca <file>',
    "authorities of its certificate, PEM (default: the configuration's http.tls.ca, else Node's)",
  );
}

/** `--brokers` of a command whose cluster `clusterOf` finds. */
export function clusterOption(): Option {
  return brokersOption('the configuration, then a broker started by `flatline broker start`');
}

/** `fallback`: where the addresses come from without the flag and without KAFKA_BROKERS. */
export function brokersOption(fallback: string): Option {
  const description = `bootstrap addresses, host:port separated by commas (default: KAFKA_BROKERS, then ${fallback})`;
  return new Option('--brokers <list>', description).argParser((text) =>
    text.split(',').map((address) => address.trim()),
  );
}

/** An integer within bounds. */
export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${min}.`
        : `It must be a whole number from ${min} to ${max}.`,
    );
  };
}

export function probability(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('It must be a probability from 0 to 1, for example 0.01.');
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

export const port = integerFrom(1, 65_535);

export function httpAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address with its scheme, for example http://127.0.0.1:7070.');
}

/** Kafka's rule for topic names. */
export function topicName(text: string): string {
  if (/^[\w.-]{1,249}$/.test(text) && text !== '.' && text !== '..') return text;
  throw new InvalidArgumentError('A topic name has 1 to 249 letters, digits, dots, underscores or hyphens.');
}

/** Where a dead letter lies: `PARTITION/OFFSET`. */
export interface LetterPlace {
  readonly partition: number;
  readonly offset: number;
}

export function letterPlace(text: string): LetterPlace {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (partition === undefined) throw new InvalidArgumentError('It must be PARTITION/OFFSET, for example 3/1207.');
  return { partition: Number(partition), offset: Number(offset) };
}

/** Commander hands a repeated argument over one by one. */
export function letterPlaces(text: string, before: readonly LetterPlace[] = []): readonly LetterPlace[] {
  return [...before, letterPlace(text)];
}

/** A length of time in milliseconds. Without a unit it would be ms, as in settings, whose names say so: here none does. */
export function lengthOption(text: string): number {
  const ms = millisecondsIn(text);
  if (ms !== undefined && Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError('It must be a length of time with its unit: 250ms, 90s, 30m, 36h, 7d.');
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)$/;

/** An offset, or an instant: digits alone are the former. */
export function sinceOption(text: string): { readonly offset: number } | { readonly timestamp: number } {
  if (/^\d{1,15}$/.test(text)) return { offset: Number(text) };
  const timestamp = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timestamp)) return { timestamp };
  throw new InvalidArgumentError(
    'It must be a time with its zone, for example 2026-11-02T08:00:00Z, or an offset of the input.',
  );
}

export function attributeOption(): Option {
  return new Option('--attribute <name=value>', 'only entries that have this attribute').argParser((text) => {
    if (text.indexOf('=') > 0) return text;
    throw new InvalidArgumentError('It must be name=value.');
  });
}

/** `name=value`; commander hands a repeated flag over one by one. */
export function headerOption(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at > 0) return [...before, [text.slice(0, at), text.slice(at + 1)]];
  throw new InvalidArgumentError('It must be name=value.');
}

/** For commands that do something to one key of a pipeline. */
export function keyActOptions(command: Command, kind: KindName): Command {
  return command
    .option('--pipeline <name>', `which pipeline of the configuration (default: its only one of kind ${kind})`)
    .option(
      '--partition <n>',
      "the key's partition, if producers do not partition as Kafka does by default",
      integerFrom(0),
    )
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption());
}
