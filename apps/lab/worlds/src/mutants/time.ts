// Faults in the clock, in timers, and in the proof of silence.
import type { EngineMutant } from './mutant.ts';

export const TIME_MUTANTS: readonly EngineMutant[] = [
  {
    name: 'expires by the local clock',
    file: 'libs/shell/runtime/src/running/task-loop.ts',
    from: 'const stepMore = this.#feed.step(wallNow, startedAt);',
    to: 'const stepMore = this.#feed.step(wallNow, startedAt); this.#parts.task.clock.advance(wallNow);',
  },
  {
    name: 'closes a key a millisecond early',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'return due > this.clock || this.#takeEffect(slot, due);',
    to: 'return due > this.clock + 1 || (this.#due(due), false);',
    seed: 25,
  },
  {
    name: 'arms timers a minute late',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'deadlineOf: (slot) => this.#timerDueAt(slot),',
    to: 'deadlineOf: (slot) => this.#timerDueAt(slot) + 60_000,',
  },
  {
    name: 'loses a timer on restoring',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'if (table.isLive(slot)) wheel.schedule(slot);',
    to: 'if (slot !== 1 && table.isLive(slot)) wheel.schedule(slot);',
  },
  {
    name: 'arms the first slice of timers only',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'if (end < table.slotsEnd) return false;',
    to: 'if (end < 0) return false;',
  },
  {
    name: 'leaves the timer where a timeout gets shorter',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'dueSooner(): void {\n    this.#armed().schedule(this.#entry.slot);',
    to: 'dueSooner(): void {\n    this.#armed();',
  },
  {
    name: 'believes an end before it is reached',
    file: 'libs/shell/runtime/src/proof/fetch-proof.ts',
    from: 'position < this.#request.end) return',
    to: 'position < this.#request.end - 3) return',
  },
  {
    name: 'is silent about a clock that was overtaken',
    file: 'libs/core/partition/src/input/input-time.ts',
    from: 'if (stamp < this.#observed && !isAgain)',
    to: 'if (stamp < this.#observed - 60_000 && !isAgain)',
    seed: 21,
  },
  {
    name: 'counts time in which no device was heard',
    file: 'libs/core/kinds/src/held-time.ts',
    from: 'due += Math.max(0, hold.from + hold.ms - start);',
    to: 'due += Math.max(0, hold.from + hold.ms - start - 500);',
    seed: 5,
  },
  {
    name: 'forgets what was held at a restart',
    file: 'libs/core/partition/src/input/input-time.ts',
    from: 'this.held.restore(held);',
    to: '',
    seed: 6,
  },
  {
    name: 'closes as of now',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'this.#due(due);',
    to: 'this.#due(Math.max(this.clock, due));',
  },
  {
    name: 'never asks for proof',
    file: 'libs/shell/runtime/src/running/silence-watch.ts',
    from: "else if (advice.kind === 'ask') unattended",
    to: "else if (advice.kind === 'ask' && advice.timestamp < 0) unattended",
  },
  {
    name: 'never doubts a leader that shows nothing new',
    file: 'libs/shell/runtime/src/running/silence-watch.ts',
    from: 'if (doubt) reading.doubtLeader();',
    to: '',
  },
  {
    name: 'believes a leader that shows an open transaction',
    file: 'libs/shell/runtime/src/proof/read-back.ts',
    from: 'return { alarm, doubt: true,',
    to: 'return { alarm, doubt: !isExplained,',
  },
];
