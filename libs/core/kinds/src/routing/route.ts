// The form of a route: which outputs bring about a record of another topic, and what that record is (P3).
import type { DurationMs } from '@flatline/base';

/** Values that `where` compares: whole, as JSON has them. */
export type RouteScalar = string | number | boolean | null;

/**
 * A part of a record: a JSON pointer into the output (begins with `/`), `""` for the whole output; a text that begins with no
 * `/`, or `{ text }`, for itself; `{ at, plusMs }` for an instant of the output, so much later, in milliseconds since the epoch.
 */
export type RouteText = string | { readonly text: string } | RouteInstant;

export interface RouteInstant {
  /** JSON pointer to an instant in milliseconds. */
  readonly at: string;
  readonly plusMs?: DurationMs | undefined;
}

/** An output as a function of an application sees it: copies, its own. */
export interface RoutedOutput {
  /** The output's key, as UTF-8. */
  readonly key: string;
  /** Reasons and types, as the output says them: what `on` names. */
  readonly names: readonly string[];
  /** The output's fields; of a run of schedules those that docs/ROUTES.md names. */
  readonly output: Readonly<Record<string, unknown>>;
}

/** A record that such a function asks for. What is left out is as in a route that leaves it out. */
export interface AskedRecord {
  readonly key?: string | undefined;
  /** An object, or a list, goes as JSON; null is no value. */
  readonly value?: string | object | null | undefined;
  readonly headers?: Readonly<Record<string, string | number>> | undefined;
}

/** Pure: by the output alone, and no clock. undefined: this output brings about nothing. */
export type RouteFunction = (output: RoutedOutput) => AskedRecord | readonly AskedRecord[] | undefined;

/** One of `routes`, as the configuration says it. */
export interface RouteRules {
  /** Reasons or types, one of which the output has. Left out: any. */
  readonly on?: readonly string[] | undefined;
  /** By JSON pointer into the output: what has to stand there. */
  readonly where?: Readonly<Record<string, RouteScalar>> | undefined;
  /** Topic. */
  readonly to: string;
  /** Left out: the output's key. */
  readonly key?: RouteText | undefined;
  /** Left out: the whole output. null: no value. */
  readonly value?: RouteText | null | undefined;
  readonly headers?: Readonly<Record<string, RouteText | number>> | undefined;
  /** In place of the three before it, where the configuration is code. */
  readonly record?: RouteFunction | undefined;
  /** Raise it where the function changes: what another version has routed is not judged by this one. Left out: it has none. */
  readonly version?: number | undefined;
}

/** Records that one output may bring about by one route. */
export const ROUTED_RECORDS_MAX = 16;
/** Bytes of key, value and headers of one of them, and ten for each header's framing: a batch of it fits what topics take by default. */
export const ROUTED_BYTES_MAX = 900_000;
