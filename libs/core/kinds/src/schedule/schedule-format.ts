// The head of a key's schedules as bytes: in the base of a changelog, in the local store, and what a touch changes of it.
//
//   head  = due at varint
//   touch = due at − clock signed
import { ByteReader, MalformedBytes } from '@flatline/base';
import type { EntryFormat } from '../contract.ts';
import { ScheduleWindow } from './schedule-window.ts';

export const scheduleFormat: EntryFormat<ScheduleWindow> = {
  window: (memory) => new ScheduleWindow(memory),
  encode(head, out) {
    out.varint(head.dueAt);
    return 0;
  },
  decode(bytes, start, end, head) {
    const input = new ByteReader(bytes, start, end);
    head.dueAt = input.varint();
    return input.position;
  },
  encodeTouch(head, { clock }, out) {
    out.signedVarint(head.dueAt - clock);
  },
  decodeTouch(bytes, start, end, { clock }, head) {
    const input = new ByteReader(bytes, start, end);
    head.dueAt = clock + input.signedVarint();
    if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a touch of schedules`);
  },
};
