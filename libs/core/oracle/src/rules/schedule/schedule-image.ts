// State of a key's schedules in the changelog (docs/FORMATS.md, Changelog).
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import { nameOf } from '../../logs/byte-names.ts';
import type { HeadTouch, LoggedImage } from '../../logs/changelog-fold.ts';
import type { RawHeader } from '../../logs/history.ts';
import { ReadOnce } from '../../logs/read-once.ts';
import type { PendingSchedule, ScheduleState } from './naive-schedules.ts';
import { type ScheduleMessage, shownHeader } from './schedule-request.ts';

const PAUSED = 1;
const EVERY = 2;
const CRON = 4;
const START = 8;
const END = 16;
const MAX_RUNS = 32;
const EXPIRES = 64;
const MORE = 128;
const TARGET = 1;
const JITTER = 2;
const PARKED = 4;

export const touchedSchedules: HeadTouch = (_head, touch, { clock }) => {
  const bytes = new BlockReader(touch);
  const dueAt = clock + bytes.signed();
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  if (dueAt < 0) throw new NotABlock('is touched before its beginning');
  const out = new ByteWriter(16);
  out.varint(dueAt);
  return out.copy();
};

const schedules = new ReadOnce<readonly PendingSchedule[]>();

/** @throws NotABlock */
export function schedulesIn({ head, pages }: Pick<LoggedImage, 'head' | 'pages'>): ScheduleState {
  const bytes = new BlockReader(head);
  const dueAt = bytes.varint();
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind its head');
  return { pending: schedules.of(pages, readSchedules), dueAt };
}

function readSchedules(bytes: BlockReader): readonly PendingSchedule[] {
  const pending: PendingSchedule[] = [];
  while (!bytes.isAtEnd) pending.push(readSchedule(new BlockReader(bytes.bytes(bytes.varint()))));
  return pending;
}

function readSchedule(bytes: BlockReader): PendingSchedule {
  const id = nameOf(bytes.bytes(bytes.varint()));
  const [offset, due, runs] = [bytes.varint(), bytes.varint(), bytes.varint()];
  const [missed, madeUp, flags] = [bytes.varint(), bytes.varint(), bytes.byte()];
  const more = Math.floor(flags / MORE) % 2 === 1 ? bytes.byte() : 0;
  const has = (flag: number): boolean => Math.floor(flags / flag) % 2 === 1;
  const numberIf = (flag: number): number | undefined => (has(flag) ? bytes.varint() : undefined);
  const every = numberIf(EVERY);
  const [cron, zone] = has(CRON) ? [bytes.text(), bytes.text()] : [undefined, ''];
  const [start, end, max, expires] = [numberIf(START), numberIf(END), numberIf(MAX_RUNS), numberIf(EXPIRES)];
  const target = more % 2 === TARGET ? bytes.text() : undefined;
  const [jitter, shift] = more % PARKED >= JITTER ? [bytes.varint(), bytes.varint()] : [undefined, 0];
  const times = { id: id === '' ? undefined : id, every, cron, zone, start, end, max, expires, jitter };
  const message = bytes.rest();
  const asked = { ...times, target, ...messageIn(new BlockReader(message)), messageBytes: message.length };
  const parked = more >= PARKED;
  if (parked && !has(PAUSED)) throw new NotABlock('is parked and not paused');
  return { asked, offset, due, shift, runs, missed, madeUp, paused: has(PAUSED), parked };
}

function messageIn(bytes: BlockReader): Pick<ScheduleMessage, 'headers' | 'value'> {
  const headers = bytes.list(() => readHeader(bytes)).map(shownHeader);
  return { headers, value: nameOf(bytes.rest()) };
}

function readHeader(bytes: BlockReader): RawHeader {
  const name = bytes.text();
  const length = bytes.varint();
  return { name, value: length === 0 ? null : bytes.bytes(length - 1) };
}
