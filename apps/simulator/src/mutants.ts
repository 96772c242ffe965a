/** One deliberate fault in the product: what a simulation that is worth anything finds. */
export interface Mutant {
  readonly name: string;
  /** From the root of the workspace. */
  readonly file: string;
  /** Text that is there exactly once, and what it becomes. */
  readonly from: string;
  readonly to: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'keeps to itself where it began',
    file: 'libs/runtime/src/task-runner.ts',
    from: 'if (last === undefined && task.input.start > 0 &&',
    to: 'if (last === undefined && task.input.start > 1e12 &&',
  },
  {
    name: 'takes records of former times for bad ones',
    file: 'libs/task/src/partition-task.ts',
    from: "if (kind === 'wrongTimestampType') return",
    to: "if (kind === 'wrongTimestampType' && this.clock.now > 0) return",
  },
  {
    name: 'stops at records of former times after a restart',
    file: 'libs/runtime/src/task-runner.ts',
    from: 'if (task.clock.now === 0) task.allowFormerType(',
    to: 'if (last === undefined) task.allowFormerType(',
  },
  {
    name: 'expires by the local clock',
    file: 'libs/runtime/src/task-loop.ts',
    from: 'const stepMore = this.#step(wallNow);',
    to: 'const stepMore = this.#step(wallNow); this.#parts.task.clock.advance(wallNow);',
  },
  {
    name: 'closes a key a millisecond early',
    file: 'libs/task/src/live-sessions.ts',
    from: 'if (due > now.clock) return slot;',
    to: 'if (due > now.clock + 1) return slot;',
  },
  {
    name: 'arms timers a minute late',
    file: 'libs/task/src/live-sessions.ts',
    from: 'deadlineOf: (slot) => dueAt(timed.at(slot), rules, held),',
    to: 'deadlineOf: (slot) => dueAt(timed.at(slot), rules, held) + 60_000,',
  },
  {
    name: 'loses a timer on restoring',
    file: 'libs/task/src/live-sessions.ts',
    from: 'if (table.isLive(slot)) wheel.schedule(slot);',
    to: 'if (slot !== 1 && table.isLive(slot)) wheel.schedule(slot);',
  },
  {
    name: 'arms the first slice of timers only',
    file: 'libs/task/src/live-sessions.ts',
    from: 'if (end < table.slotsEnd) return false;',
    to: 'if (end < 0) return false;',
  },
  {
    name: 'leaves the timer where a timeout gets shorter',
    file: 'libs/task/src/live-sessions.ts',
    from: 'if (entry.timeoutMs < timeoutBefore)',
    to: 'if (entry.timeoutMs < timeoutBefore - 30_000)',
  },
  {
    name: 'believes an end before it is reached',
    file: 'libs/runtime/src/fetch-proof.ts',
    from: 'position < this.#request.end) return',
    to: 'position < this.#request.end - 3) return',
  },
  {
    name: 'is silent about a clock that was overtaken',
    file: 'libs/task/src/partition-task.ts',
    from: 'if (stamp < this.#observed && !this.#again)',
    to: 'if (stamp < this.#observed - 60_000 && !this.#again)',
  },
  {
    name: 'counts time in which nobody was heard',
    file: 'libs/policies/src/held-time.ts',
    from: 'due += Math.max(0, hold.from + hold.ms - start);',
    to: 'due += Math.max(0, hold.from + hold.ms - start - 500);',
  },
  {
    name: 'says what was held after the close',
    file: 'libs/policies/src/session/deadline.ts',
    from: 'held.between(entry.lastSeenAt, closing.closedAt)',
    to: 'held.between(entry.lastSeenAt, Infinity)',
  },
  {
    name: 'forgets what was held at a restart',
    file: 'libs/task/src/partition-task.ts',
    from: 'this.#held.restore(held);',
    to: '',
  },
  {
    name: 'gives a store up where its disk is full',
    file: 'libs/runtime/src/flusher.ts',
    from: 'if (this.#closing || !(error instanceof Retriable)) {',
    to: 'if (this.#closing || error instanceof Retriable) {',
  },
  {
    name: 'lets a failed close of a store end the task',
    file: 'libs/runtime/src/task-store.ts',
    from: "this.#failed('local store not closed cleanly",
    to: "throw error; this.#failed('local store not closed cleanly",
  },
  {
    name: 'lets a failed wipe of a store end the task',
    file: 'libs/runtime/src/task-store.ts',
    from: "this.#failed('local store not wiped",
    to: "throw error; this.#failed('local store not wiped",
  },
  {
    name: 'takes a store that cannot be opened for fatal',
    file: 'libs/runtime/src/task-store.ts',
    from: 'if (error instanceof StateInUse || isBrokenAssumption(error)) throw error;',
    to: 'throw error;',
  },
  {
    name: 'closes as of now',
    file: 'libs/task/src/live-sessions.ts',
    from: 'const closedAt = dueAt(this.#view.at(slot), rules, held);',
    to: 'const closedAt = Math.max(now.clock, dueAt(this.#view.at(slot), rules, held));',
  },
  {
    name: 'takes an event time that no Date can hold',
    file: 'libs/codec/src/record-shape.ts',
    from: ' || value > INSTANT_MAX',
    to: '',
  },
  {
    name: 'lets what is missing grow without bound',
    file: 'libs/policies/src/session/sequence-window.ts',
    from: 'window.received), MISSING_MAX)',
    to: 'window.received), Infinity)',
  },
  {
    name: 'records a stamp that is no instant',
    file: 'libs/task/src/block-format.ts',
    from: 'out.signedVarint(recordedStamp(input.batchTimestamp));',
    to: 'out.signedVarint(input.batchTimestamp);',
  },
  {
    name: 'holds a stamp that is no instant against the input',
    file: 'libs/runtime/src/input-position.ts',
    from: 'recordedStamp(found.batchTimestamp) ===',
    to: 'found.batchTimestamp ===',
  },
  {
    name: 'cannot read an event time from 2^52 on',
    file: 'libs/base/src/bytes.ts',
    from: 'const value = this.#varint(ZIGZAG_MAX);',
    to: 'const value = this.#varint(Number.MAX_SAFE_INTEGER);',
  },
  {
    name: 'ignores a heartbeat soon after another',
    file: 'libs/policies/src/session/apply-event.ts',
    from: 'if (at.effectiveAt > entry.lastSeenAt) entry',
    to: 'if (at.effectiveAt > entry.lastSeenAt + 50) entry',
  },
  {
    name: 'forgets event ids',
    file: 'libs/policies/src/session/apply-event.ts',
    from: 'eventIds.includes(eventId) === true',
    to: 'eventIds.includes(`${eventId}?`) === true',
  },
  {
    name: 'never asks for proof',
    file: 'libs/runtime/src/task-loop.ts',
    from: "else if (advice.kind === 'ask') void",
    to: "else if (advice.kind === 'ask' && task.clock.now < 0) void",
  },
  {
    name: 'drops a close',
    file: 'libs/task/src/partition-task.ts',
    from: 'const closed = this.#sessions.takeClosed();',
    to: 'const closed = this.#sessions.takeClosed().slice(0, 3);',
  },
  {
    name: 'writes dead letters again',
    file: 'libs/task/src/dead-letter-box.ts',
    from: 'this.#letters = [];',
    to: '',
  },
  {
    name: 'commits an offset beyond the position',
    file: 'libs/runtime/src/output-records.ts',
    from: 'offset: cut.position,',
    to: 'offset: cut.position + 1,',
  },
  {
    name: 'sends again without looking',
    file: 'libs/runtime/src/committer.ts',
    from: "if (found.kind === 'absent'",
    to: "if (found.kind !== 'lost'",
  },
  {
    name: 'gives a commit that ran out of time no more',
    file: 'libs/runtime/src/committer.ts',
    from: 'inFlight.timeoutMs = 2 * timeoutMs;',
    to: 'inFlight.timeoutMs = timeoutMs;',
  },
  {
    name: 'takes a failed commit for done',
    file: 'libs/runtime/src/committer.ts',
    from: "if (!mayPass(error)) throw error;\n      this.#parts.ports.log.warn('commit failed",
    to: "if (!mayPass(error)) throw error;\n      return this.#settle(inFlight, inFlight.cut.blocks.map((_, i) => this.#anchor.offset + 1 + i));\n      this.#parts.ports.log.warn('commit failed",
  },
  {
    name: 'fences nobody on another machine',
    file: 'libs/runtime/src/claiming.ts',
    from: 'ports.writers.open(settings.transactionalId(partition), timeoutMs)',
    to: 'ports.writers.open(`${settings.transactionalId(partition)}.${settings.owner}`, timeoutMs)',
  },
  {
    name: 'restores from a changelog that has lost commits',
    file: 'libs/runtime/src/restoring.ts',
    from: 'if (sequence === undefined || sequence <= last.sequence) return;',
    to: 'if (sequence !== -1) return;',
  },
  {
    name: 'looks up in a changelog that has lost commits',
    file: 'libs/runtime/src/commit-look-up.ts',
    from: 'if (first?.offset !== anchor.offset || first.id !== anchor.id) return',
    to: 'if (first?.offset === -1) return',
  },
  {
    name: 'goes on behind commits that were lost',
    file: 'libs/runtime/src/committer.ts',
    from: 'if (offsets[0]! <= this.#anchor.offset)',
    to: 'if (offsets[0]! < 0)',
  },
  {
    name: 'sends again what the group knows of',
    file: 'libs/runtime/src/commit-look-up.ts',
    from: 'if (known?.commitId === commitId)',
    to: 'if (known?.commitId === `${commitId}?`)',
  },
  {
    name: 'waits for ever for a claim that was lost',
    file: 'libs/runtime/src/claiming.ts',
    from: 'if (end <= claimOffset) lost.abort();',
    to: 'if (end < 0) lost.abort();',
  },
  {
    name: 'restores to the end as a fetch sees it',
    file: 'libs/runtime/src/restoring.ts',
    from: 'await readToClaim(parts, ownership, (end, signal) => replica.readTo(end, signal), abandon);\n    if (!replica.standsAt(ownership)) throw lostClaim(parts, ownership);',
    to: '',
  },
  {
    name: 'skips the last block of a commit',
    file: 'libs/task/src/restoration.ts',
    from: 'parts: this.#parts, blocks: []',
    to: 'parts: this.#parts.slice(0, Math.max(1, this.#parts.length - 1)), blocks: []',
  },
  {
    name: 'trusts a store that has rotted',
    file: 'libs/runtime/src/replica.ts',
    from: 'if (disagreement !== undefined) throw',
    to: "if (disagreement === '') throw",
  },
  {
    name: 'forgets removals while restoring',
    file: 'libs/task/src/restoration.ts',
    from: 'if (slot < 0) return;\n    this.#forget(slot);',
    to: 'if (slot < 0 || this.#whole !== undefined) return;\n    this.#forget(slot);',
  },
  {
    name: 'owes no removal for an image in flight',
    file: 'libs/task/src/changelog.ts',
    from: 'if (entry.imageBlock >= 0 || entry.inFlight)',
    to: 'if (entry.imageBlock >= 0)',
  },
  {
    name: 'truncates above the floor',
    file: 'libs/runtime/src/truncator.ts',
    from: 'truncate(this.#parts.changelog, target)',
    to: 'truncate(this.#parts.changelog, target + 1)',
  },
  {
    name: 'truncates at once',
    file: 'libs/runtime/src/truncator.ts',
    from: 'now - sinceMs >= this.#parts.lagMs',
    to: 'now - sinceMs >= 0',
  },
  {
    name: 'states a floor above an image',
    file: 'libs/task/src/block-ledger.ts',
    from: 'if (block.images > 0) break;',
    to: 'if (block.images > 1) break;',
  },
  {
    name: 'forgets the floor with an empty store',
    file: 'libs/task/src/block-ledger.ts',
    from: '?? this.#restoredFloor',
    to: '?? 0',
  },
  {
    name: 'steps in the middle of a cut',
    file: 'libs/task/src/partition-task.ts',
    from: 'if (this.changelog.isCutting || this.#deadLetters.isFull) return 0;',
    to: 'if (this.#deadLetters.isFull) return 0;',
  },
  {
    name: 'expires in the middle of a cut',
    file: 'libs/task/src/partition-task.ts',
    from: 'if (this.isFull) return this.#sessions.hasBacklog;',
    to: 'if (this.isFull && !this.changelog.isCutting) return this.#sessions.hasBacklog;',
  },
];
