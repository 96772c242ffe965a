// Faults in deliveries to webhooks, one for each way to be wrong (N1–N5): hunted in worlds of them, since others have no endpoints.
import type { EngineMutant } from './mutant.ts';

const QUEUE = 'libs/core/deliveries/src/endpoint-queue.ts';
const BREAKER = 'libs/core/deliveries/src/breaker.ts';
const LADDER = 'libs/core/deliveries/src/ladder.ts';
const GATE = 'libs/core/deliveries/src/gate.ts';
const RUN = 'libs/shell/notifier/src/courier/courier-run.ts';
const PENDING = 'libs/shell/notifier/src/courier/pending-writes.ts';
const RESTORATION = 'libs/shell/notifier/src/courier/restoration.ts';
const TAKEN = 'libs/shell/notifier/src/courier/taken-records.ts';
const EVENT = 'libs/shell/notifier/src/records/output-event.ts';
const SENDER = 'libs/shell/notifier/src/sending/http-sender.ts';
const EXCHANGE = 'libs/shell/notifier/src/sending/http-exchange.ts';
const SIGNATURE = 'libs/shell/notifier/src/signing/signature.ts';
const GUARD = 'libs/shell/notifier/src/guard/guard.ts';
const ADDRESSES = 'libs/shell/notifier/src/guard/addresses.ts';

const IN_DELIVERIES: readonly EngineMutant[] = [
  // N1
  {
    name: 'signs by the first secret alone',
    file: SIGNATURE,
    from: 'return secrets.map((secret)',
    to: 'return secrets.slice(0, 1).map((secret)',
  },
  {
    name: 'signs another instant than it says',
    file: SENDER,
    from: "'webhook-signature': signatures(secrets(), id, seconds, body),",
    to: "'webhook-signature': signatures(secrets(), id, seconds + 1, body),",
  },
  {
    name: 'stamps an attempt by the minute',
    file: SENDER,
    from: 'const seconds = Math.floor(at / 1_000);',
    to: 'const seconds = Math.floor(at / 60_000) * 60;',
  },
  {
    name: 'sends an output with another instant',
    file: EVENT,
    from: 'const timestamp = new Date(record.timestamp).toISOString();',
    to: 'const timestamp = new Date(record.timestamp + (record.offset % 2)).toISOString();',
  },
  {
    name: 'names an output by another revision',
    file: 'libs/core/kinds/src/session/session-said.ts',
    from: '[incarnation, Number(revision ?? 0)]',
    to: '[incarnation, 1 + Number(revision ?? 0)]',
  },
  {
    name: 'sends what an endpoint is not for',
    file: TAKEN,
    from: 'if (on !== undefined && !names.some((name) => on.includes(name))) continue;',
    to: 'if (on !== undefined && names.length === 0) continue;',
  },
  // N2
  {
    name: 'takes any answer for success',
    file: SENDER,
    from: "if (status >= 200 && status < 300) return { kind: 'delivered' };",
    to: "if (status >= 200 && status < 600) return { kind: 'delivered' };",
  },
  {
    name: 'does not wait as long as it was asked to',
    file: LADDER,
    from: 'return Math.max(waitMs, Math.min(retryAfterMs, waitMs + RETRY_AFTER_MAX_MS));',
    to: 'return Math.max(waitMs, Math.min(retryAfterMs, 0));',
  },
  {
    name: 'attempts again a tenth of the wait later',
    file: LADDER,
    from: 'const waitMs = spread(wait, draw);',
    to: 'const waitMs = Math.round(spread(wait, draw) / 10);',
  },
  {
    name: 'forgets the attempts that failed',
    file: QUEUE,
    from: 'const delivery = { ...here.delivery!, attempts: [...here.delivery!.attempts, attempt] };',
    to: 'const delivery = { ...here.delivery!, attempts: [attempt] };',
  },
  {
    name: 'gives up after the second attempt',
    file: QUEUE,
    from: 'else if (waitMs === undefined) this.#giveUp(',
    to: 'else if (waitMs === undefined || delivery.attempts.length > 1) this.#giveUp(',
  },
  {
    name: 'goes on at an endpoint that wants nothing more',
    file: SENDER,
    from: 'gone: status === GONE };',
    to: 'gone: status === GONE + 1000 };',
  },
  // N3
  {
    name: 'keeps nothing that is under way when its position moves on',
    file: PENDING,
    from: 'const writes = this.#writes.filter((write) => write !== undefined);',
    to: "const writes = this.#writes.filter((write) => write !== undefined && !(write.kind === 'keep' && write.phase === 'held'));",
  },
  {
    name: 'says nothing of what is done with',
    file: PENDING,
    from: "if (write.kind === 'drop' && pending?.isNew === true) return;",
    to: "if (write.kind === 'drop' && pending?.isNew !== false) return;",
  },
  {
    name: 'begins more before it is committed what has come of others',
    file: RUN,
    from: 'return this.#outcomeAt !== undefined || isBreakerDecided || isAnyDropped;',
    to: 'return isBreakerDecided && isAnyDropped;',
  },
  {
    name: 'attempts without having met its fence',
    file: RUN,
    from: 'this.#awaitsCommit = this.#mayBegin(now) && this.#fenceDoubt.isThere;',
    to: 'this.#awaitsCommit = false;',
  },
  {
    name: 'attempts what has taken the place of another before that is written',
    file: RUN,
    from: 'return this.#outcomeAt !== undefined || isBreakerDecided || isAnyDropped;',
    to: 'return this.#outcomeAt !== undefined || isBreakerDecided;',
  },
  {
    name: 'commits positions beyond what it has taken',
    file: RUN,
    from: 'offset: position,',
    to: 'offset: position + (decided.length === 0 ? 1 : 0),',
  },
  {
    name: 'attempts again nothing that was held',
    file: QUEUE,
    from: "if (phase === 'held' && isHead && delivery !== undefined) this.take(delivery, now);",
    to: "if (phase === 'held' && isHead && delivery !== undefined) this.#write({ kind: 'drop', name: nameOf(mark) });",
  },
  {
    name: 'forgets what was written since the engine committed',
    file: RESTORATION,
    from: 'if (value === null) kept.delete(nameOf(key));',
    to: 'if (value === null) kept.size;',
  },
  {
    name: 'keeps a delivery that has succeeded',
    file: QUEUE,
    from: "      this.#write({ kind: 'drop', name: nameOf(here.mark) });\n      this.#leave(here, now);",
    to: '      this.#leave(here, now);',
  },
  {
    name: 'begins with what came out and not with what is on its way there',
    file: RESTORATION,
    from: 'if (parts.tellKeys.size > 0) await decidedBelow(due, dueUntil, parts);',
    to: 'if (dueUntil < 0) await decidedBelow(due, dueUntil, parts);',
  },
  // N4
  {
    name: 'takes the place of what may be on its way here',
    file: QUEUE,
    from: "if (place === 'flying' || (place === 'away' && last.dueAt <= now + OUT_MS)) return true;",
    to: "if (place === 'flying') return true;",
  },
  {
    name: 'knows of nothing that it restores when it is due',
    file: QUEUE,
    from: "'away' : 'behind').dueAt = dueAt;",
    to: "'away' : 'behind').dueAt = Math.max(dueAt, Infinity);",
  },
  {
    name: 'knows no breaker of whoever was before',
    file: QUEUE,
    from: 'this.#breaker = breaker ?? CLOSED;\n    const byOrder',
    to: 'this.#breaker = breaker === undefined ? CLOSED : CLOSED;\n    const byOrder',
  },
  {
    name: 'opens no breaker',
    file: BREAKER,
    from: 'const openMs = Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** opened);',
    to: 'const openMs = 0 * Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** opened);',
  },
  {
    name: 'opens its breaker as of the first failure in a row',
    file: BREAKER,
    from: 'until: now + spread(openMs, draw), opened: opened + 1, failingSince, failedAt: now };',
    to: 'until: failingSince + spread(openMs, draw), opened: opened + 1, failingSince, failedAt: failingSince };',
  },
  {
    name: 'keeps its breaker open for twice as long',
    file: BREAKER,
    from: 'const openMs = Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** opened);',
    to: 'const openMs = 2 * Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** opened);',
  },
  {
    name: 'probes by all that is ready',
    file: QUEUE,
    from: "if (breaker.kind === 'open' && this.#flying > 0) break;",
    to: "if (breaker.kind === 'open' && this.#flying > 99) break;",
  },
  {
    name: 'lets one more through than may be under way',
    file: GATE,
    from: 'if (this.#inFlight >= this.#limits.maxInFlight || now < this.#freeAt) return false;',
    to: 'if (this.#inFlight > this.#limits.maxInFlight || now < this.#freeAt) return false;',
  },
  {
    name: 'lets through three times what may begin in a second',
    file: GATE,
    from: '1_000 / maxPerSecond;',
    to: '333 / maxPerSecond;',
  },
  {
    name: 'sends the outputs of a key side by side',
    file: QUEUE,
    from: 'if (this.#tellsKeys && this.#lines.lineOf(delivery)[0] !== here) this.#wait(here, delivery, now);',
    to: 'if (this.#tellsKeys && this.#lines.size > 1_000_000) this.#wait(here, delivery, now);',
  },
  {
    name: 'never calls the next of a key',
    file: QUEUE,
    from: "if (first?.place === 'behind') this.#moveUp(first, now);",
    to: "if (first?.place === 'behind' && now < 0) this.#moveUp(first, now);",
  },
  {
    name: 'begins with a key in another order',
    file: QUEUE,
    from: 'const byOrder = [...kept].sort((a, b) => a.mark.order - b.mark.order);',
    to: 'const byOrder = [...kept].sort((a, b) => b.mark.order - a.mark.order);',
  },
  // N5
  {
    name: 'looks at the first address alone',
    file: GUARD,
    from: 'for (const address of found) {',
    to: 'for (const address of found.slice(0, 1)) {',
  },
  {
    name: 'does not look at what it is connected to',
    file: GUARD,
    from: 'if (address === undefined || wanted === undefined || !isSame(address, wanted))',
    to: 'if (address === undefined || wanted === undefined)',
  },
  {
    name: 'takes private addresses for public',
    file: ADDRESSES,
    from: "return reached.range() === 'unicast';",
    to: "return ['unicast', 'private'].includes(reached.range());",
  },
  {
    name: 'takes all of 2000::/3 for public',
    file: ADDRESSES,
    from: "return six.match(GLOBAL) && six.range() === 'unicast' && !SPECIAL",
    to: 'return six.match(GLOBAL) || !SPECIAL',
  },
  {
    name: 'reads an answer to its end',
    file: EXCHANGE,
    from: 'if (this.#length >= ANSWER_BYTES_MAX) this.end(',
    to: 'if (this.#length >= 1e9) this.end(',
  },
  {
    name: 'keeps all that it has read of an answer',
    file: 'libs/shell/notifier/src/sending/answer-text.ts',
    from: 'Array.from(text).slice(0, TEXT_LENGTH_MAX)',
    to: 'Array.from(text).slice(0, 4 * TEXT_LENGTH_MAX)',
  },
];

export const DELIVERY_MUTANTS: readonly EngineMutant[] = IN_DELIVERIES.map((mutant) => ({
  ...mutant,
  world: 'deliveries',
}));
