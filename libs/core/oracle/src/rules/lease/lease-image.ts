// State of a lease in the changelog (docs/FORMATS.md, Changelog).
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import type { HeadTouch, LoggedImage } from '../../logs/changelog-fold.ts';
import { ReadOnce } from '../../logs/read-once.ts';
import { compareOnce } from '../differences.ts';
import { EPOCH_TOKENS, type LeaseState, type Waiting } from './naive-lease.ts';

interface LeaseHead {
  readonly flags: number;
  readonly grantedAt: number;
  /** During a lock delay: its end. */
  readonly renewedAt: number;
  readonly token: number;
  readonly timeoutMs: number;
  /** Maximum duration and bucket, 0 for none; empty: the head has no such numbers. */
  readonly terms: readonly number[];
  readonly renewals: number;
  readonly nextWaitAt: number;
}

const DELAYED = 1;
const TERMS = 2;

function readHead(bytes: BlockReader): LeaseHead {
  const flags = bytes.byte();
  return {
    flags,
    grantedAt: bytes.varint(),
    renewedAt: bytes.varint(),
    token: bytes.varint(),
    timeoutMs: bytes.varint(),
    terms: (flags & TERMS) === 0 ? [] : readTerms(bytes),
    renewals: bytes.varint(),
    nextWaitAt: bytes.varint(),
  };
}

function readTerms(bytes: BlockReader): readonly number[] {
  const terms = [bytes.varint(), bytes.varint()];
  if (terms.every((each) => each === 0)) throw new NotABlock('has the terms of a lease that has none');
  return terms;
}

export const touchedLease: HeadTouch = (head, touch, { clock }) => {
  const before = readHead(new BlockReader(head));
  const bytes = new BlockReader(touch);
  const flags = bytes.byte();
  const renewedAt = clock - bytes.signed();
  const [renewals, nextWaitAt] = [bytes.varint(), bytes.varint()];
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  if (flags > DELAYED) throw new NotABlock(`is touched with the flags ${flags} of a lease`);
  const { grantedAt, token, timeoutMs, terms } = before;
  const out = new ByteWriter(64);
  out.u8((before.flags & TERMS) + flags);
  for (const number of [grantedAt, renewedAt, token, timeoutMs, ...terms, renewals, nextWaitAt]) {
    if (number < 0) throw new NotABlock('is touched before its beginning');
    out.varint(number);
  }
  return out.copy();
};

type Claim = Pick<Waiting, 'requestId' | 'attributes'>;

/** Content of the pages: the holder of the lease, and the starts that wait for it. */
interface Claims {
  readonly holder: Claim;
  readonly waiting: readonly Waiting[];
}

const claims = new ReadOnce<Claims>();

/** @throws NotABlock */
export function leaseIn({ head, pages }: Pick<LoggedImage, 'head' | 'pages'>): LeaseState {
  const bytes = new BlockReader(head);
  const { flags, grantedAt, renewedAt, token, timeoutMs, terms, renewals, nextWaitAt } = readHead(bytes);
  if (flags > DELAYED + TERMS) throw new NotABlock(`has the flags ${flags} of a lease`);
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind its head');
  const { holder, waiting } = claims.of(pages, readClaims, (kept) => {
    compareOnce(kept.waiting);
  });
  if ((flags & DELAYED) !== 0) return { lease: undefined, lockedUntil: renewedAt, waiting, nextWaitAt };
  const offset = (token % EPOCH_TOKENS) - 1;
  const [longestMs = 0, bucketMs = 0] = terms;
  const maxDurationMs = longestMs === 0 ? undefined : longestMs;
  const since = { timeoutMs, maxDurationMs, bucketMs, grantedAt, lastAt: renewedAt, renewals };
  return { lease: { ...holder, offset, token, ...since }, lockedUntil: undefined, waiting, nextWaitAt };
}

function readClaims(bytes: BlockReader): Claims {
  const holder = bytes.isAtEnd ? { requestId: undefined, attributes: {} } : readClaim(bytes);
  const waiting = bytes.isAtEnd ? [] : bytes.list(() => readWaiting(bytes));
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind its waiters');
  return { holder, waiting };
}

function readWaiting(bytes: BlockReader): Waiting {
  const [offset, timeoutMs, until] = [bytes.varint(), bytes.varint(), bytes.varint()];
  return { offset, timeoutMs, until, ...readClaim(bytes) };
}

function readClaim(bytes: BlockReader): Claim {
  const requestId = bytes.text();
  const attributes = Object.fromEntries(bytes.list((): [string, string] => [bytes.text(), bytes.text()]));
  return { requestId: requestId === '' ? undefined : requestId, attributes };
}
