// How a key's schedules lie in its entry: when the first is due in the head, all of them in the state (schedule-state.ts).
import type { Millis } from '@flatline/base';
import { type EntryMemory, EntryWindow, type StateWindow } from '../entry-window.ts';
import type { BytesSpan } from '../state-bytes.ts';

/** Why the indices are literals: EntryWindow. */
export class ScheduleWindow extends EntryWindow {
  readonly #state: StateWindow;

  constructor(memory: EntryMemory) {
    super(memory);
    this.#state = memory.stateWindow();
  }

  get dueAt(): Millis {
    return this.f64[this.f]!;
  }
  set dueAt(value: Millis) {
    this.f64[this.f] = value;
  }

  /** The setter copies. */
  get state(): BytesSpan {
    return this.#state.at(this.slot);
  }
  set state(value: BytesSpan) {
    this.#state.at(this.slot).set(value);
  }
}
