// Takes plain requests of keys that have no schedule: what is asked for goes from the record's bytes into the state, with the
// outcome that `ScheduleKind` has for it by way of headers, a request and a schedule.
//
// Owns: nothing that outlives a call.
// Does not own: requests that have another outcome than a schedule that waits, unanswered: they are left to ScheduleKind.
import { NEVER, PlainRequest, type ScheduleRules } from '@flatline/schedules';
import type { Effects, GroupRecords } from '../contract.ts';
import { NO_ROOM } from '../refusals.ts';
import { STATE_BYTES_MAX } from '../state-bytes.ts';
import type { ScheduleCounters } from './schedule-counters.ts';
import { plainState } from './schedule-state.ts';
import type { ScheduleWindow } from './schedule-window.ts';

export interface PlainRequestsParts {
  readonly rules: ScheduleRules;
  readonly entry: ScheduleWindow;
  readonly counters: ScheduleCounters;
}

export class PlainRequests {
  readonly #parts: PlainRequestsParts;
  readonly #request = new PlainRequest();
  readonly #messageMax: number;
  readonly #horizonMs: number;

  constructor(parts: PlainRequestsParts) {
    this.#parts = parts;
    const { receipts, maxMessageBytes, maxSchedulesPerKey, maxHorizonMs } = parts.rules;
    // Left to the reader of headers: requests that are all answered, since a receipt needs the whole schedule, and where a key may have none.
    const takesAny = receipts !== 'all' && maxSchedulesPerKey > 0;
    this.#messageMax = takesAny ? Math.min(maxMessageBytes, STATE_BYTES_MAX) : 0;
    this.#horizonMs = maxHorizonMs;
  }

  /** Takes the record at `records.index`, whose key has no entry. undefined: it is left. */
  take(records: GroupRecords, effects: Effects): 'taken' | typeof NO_ROOM | undefined {
    const { bytes, group, index, baseOffset } = records;
    const request = this.#request;
    if (!request.find(bytes, group, index) || request.messageLength > this.#messageMax) return undefined;
    const { clock } = effects;
    const dueAt = request.dueAt(clock);
    if (dueAt <= clock || dueAt - clock > this.#horizonMs || dueAt >= NEVER) return undefined;
    const state = plainState(request, records, baseOffset + group.offsetDeltas[index]!, dueAt);
    if (!effects.open(index, state.length)) return NO_ROOM;
    const { entry, counters } = this.#parts;
    entry.dueAt = dueAt;
    entry.state = state;
    effects.opened();
    counters.schedulesMade += 1;
    effects.changed();
    return 'taken';
  }
}
