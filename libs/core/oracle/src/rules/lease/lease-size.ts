// Bytes of a lease's holder and waiting starts in the changelog (docs/FORMATS.md, Changelog), computed from their content.
import { varintBytes } from '../../logs/varint-bytes.ts';

/** docs/SPEC.md, L4. */
const STATE_BYTES_MAX = 64_000_000;
/** Upper bounds: on the length prefix of a text, and on the four numbers of a waiting start. */
const LENGTH_BYTES = 8;
const NUMBERS_BYTES = 32;

interface Claim {
  readonly requestId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Waiting extends Claim {
  readonly offset: number;
  readonly timeoutMs: number;
  readonly until: number;
}

const NO_CLAIM: Claim = { requestId: undefined, attributes: {} };

interface Weight {
  /** Upper bound on the bytes of the texts: nearly always decisive, and cheaper than the exact number. */
  readonly most: number;
  /** Their exact bytes; undefined: not needed yet. */
  exact: number | undefined;
}

const utf8 = new TextEncoder();
/** Cached by the attributes, which never change: waiting starts are weighed again with each start. */
const weights = new WeakMap<Claim['attributes'], Weight>();

/** Bytes of the state of a key (I7): none where no one says anything of themselves, and no one waits. `holder`: undefined: none. */
export function stateSize(holder: Claim | undefined, waiting: readonly Waiting[]): number {
  const claim = holder ?? NO_CLAIM;
  const isBare = (claim.requestId ?? '') === '' && Object.keys(claim.attributes).length === 0;
  return waiting.length === 0 && isBare ? 0 : exactSize(claim, waiting);
}

/** True if all of them may be kept (L4). */
export function isWithinLimit(holder: Claim, waiting: readonly Waiting[]): boolean {
  const claims = [holder, ...waiting];
  const most = sum(claims.map((claim) => NUMBERS_BYTES + mostOf([claim.requestId ?? '']) + weightOf(claim).most));
  if (most <= STATE_BYTES_MAX) return true;
  return exactSize(holder, waiting) <= STATE_BYTES_MAX;
}

function exactSize(holder: Claim, waiting: readonly Waiting[]): number {
  const numbers = waiting.flatMap(({ offset, timeoutMs, until }) => [offset, timeoutMs, until].map(varintBytes));
  const texts = [holder, ...waiting].map((claim) => exactOf([claim.requestId ?? '']) + exactWeightOf(claim));
  return varintBytes(waiting.length) + sum(numbers) + sum(texts);
}

function weightOf({ attributes }: Claim): Weight {
  const known = weights.get(attributes);
  if (known !== undefined) return known;
  const weight = { most: mostOf(textsOf(attributes)), exact: undefined };
  weights.set(attributes, weight);
  return weight;
}

function exactWeightOf(claim: Claim): number {
  const weight = weightOf(claim);
  if (weight.exact === undefined) {
    const texts = textsOf(claim.attributes);
    weight.exact = varintBytes(texts.length / 2) + exactOf(texts);
  }
  return weight.exact;
}

function textsOf(attributes: Claim['attributes']): string[] {
  return Object.entries(attributes).flat();
}

function mostOf(texts: readonly string[]): number {
  return sum(texts.map(({ length }) => LENGTH_BYTES + 3 * length));
}

function exactOf(texts: readonly string[]): number {
  return sum(texts.map((text) => utf8.encode(text).length).map((length) => varintBytes(length) + length));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
