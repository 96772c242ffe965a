// What the changelog holds of a lease as its state (docs/FORMATS.md, Changelog).
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import type { HeadTouch, LoggedImage } from '../../logs/changelog-fold.ts';
import { TOKEN_OFFSETS, type LeaseState, type Waiting } from './naive-lease.ts';

interface LeaseHead {
  readonly flags: number;
  readonly grantedAt: number;
  /** In a lock delay: its end. */
  readonly renewedAt: number;
  readonly token: number;
  readonly timeoutMs: number;
  readonly renewals: number;
  readonly nextWaitAt: number;
}

const DELAYED = 1;

function readHead(bytes: BlockReader): LeaseHead {
  return {
    flags: bytes.byte(),
    grantedAt: bytes.varint(),
    renewedAt: bytes.varint(),
    token: bytes.varint(),
    timeoutMs: bytes.varint(),
    renewals: bytes.varint(),
    nextWaitAt: bytes.varint(),
  };
}

export const touchedLease: HeadTouch = (head, touch, { clock }) => {
  const before = readHead(new BlockReader(head));
  const bytes = new BlockReader(touch);
  const flags = bytes.byte();
  const renewedAt = clock - bytes.signed();
  const [renewals, nextWaitAt] = [bytes.varint(), bytes.varint()];
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  const out = new ByteWriter(64);
  out.u8(flags);
  for (const number of [before.grantedAt, renewedAt, before.token, before.timeoutMs, renewals, nextWaitAt]) {
    if (number < 0) throw new NotABlock('is touched before its beginning');
    out.varint(number);
  }
  return out.copy();
};

/** @throws NotABlock */
export function leaseIn({ image }: Pick<LoggedImage, 'image'>): LeaseState {
  const bytes = new BlockReader(image);
  const { flags, grantedAt, renewedAt, token, timeoutMs, renewals, nextWaitAt } = readHead(bytes);
  if (flags > DELAYED) throw new NotABlock(`has the flags ${flags} of a lease`);
  const holder = bytes.isAtEnd ? { requestId: undefined, attributes: {} } : readClaim(bytes);
  const waiting = bytes.isAtEnd ? [] : bytes.list(() => readWaiting(bytes));
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind its waiters');
  if (flags === DELAYED) return { held: undefined, lockedUntil: renewedAt, waiting, nextWaitAt };
  const offset = token % TOKEN_OFFSETS;
  const held = { ...holder, offset, timeoutMs, token, grantedAt, lastAt: renewedAt, renewals };
  return { held, lockedUntil: undefined, waiting, nextWaitAt };
}

function readWaiting(bytes: BlockReader): Waiting {
  const [offset, timeoutMs, askedAt, until] = [bytes.varint(), bytes.varint(), bytes.varint(), bytes.varint()];
  return { offset, timeoutMs, askedAt, until, ...readClaim(bytes) };
}

function readClaim(bytes: BlockReader): Pick<Waiting, 'requestId' | 'attributes'> {
  const requestId = bytes.text();
  const attributes = Object.fromEntries(bytes.list((): [string, string] => [bytes.text(), bytes.text()]));
  return { requestId: requestId === '' ? undefined : requestId, attributes };
}
