import { describe, expect, test } from '@jest/globals';
import type { EntryAnswer } from './entry-answer.ts';
import { Forwarding } from './forwarding.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const answersTo = (keys: readonly Uint8Array[]): EntryAnswer[] =>
  keys.map((key) => ({ key: Buffer.from(key).toString() }) as EntryAnswer);

interface Sent {
  readonly keys: readonly string[];
  readonly isNow: boolean;
  readonly answer: () => void;
  readonly fail: () => void;
}

/** Time that passes when it is told to. */
class SteppedClock {
  #nowMs = 0;
  readonly #due: { readonly atMs: number; readonly callback: () => void }[] = [];

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.#due.push({ atMs: this.#nowMs + delayMs, callback });
    return () => undefined;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    const due = this.#due.filter(({ atMs }) => atMs <= this.#nowMs);
    for (const each of due) this.#due.splice(this.#due.indexOf(each), 1);
    for (const { callback } of due) callback();
  }
}

interface Instance {
  readonly sent: Sent[];
  readonly clock: SteppedClock;
  readonly ask: (keys: readonly string[], isNow?: boolean) => Promise<readonly EntryAnswer[]>;
}

/** An instance that answers when it is told to. */
function instance(): Instance {
  const sent: Sent[] = [];
  const clock = new SteppedClock();
  const forwarding = new Forwarding(
    (_endpoint, _group, { keys, isNow }) =>
      new Promise((resolve, reject) => {
        const fail = (): void => {
          reject(new Error('no answer'));
        };
        const answer = (): void => {
          resolve(answersTo(keys));
        };
        sent.push({ keys: keys.map((key) => Buffer.from(key).toString()), isNow, answer, fail });
      }),
    clock,
  );
  const ask: Instance['ask'] = (keys, isNow = false) =>
    forwarding.ask('http://b', 'g', { pipeline: 'p', keys: keys.map(bytes), isNow });
  return { sent, clock, ask };
}

const turn = (): Promise<unknown> => new Promise(setImmediate);

describe('forwarding', () => {
  test('[Q1] keys that wait for one instance go in one request, and each asker has the answers to its own', async () => {
    const { sent, ask } = instance();
    const asked = [ask(['k1']), ask(['k2', 'k3']), ask(['k4'], true)];
    await turn();
    expect(sent.map(({ keys, isNow }) => [keys, isNow])).toEqual([
      [['k1', 'k2', 'k3'], false],
      [['k4'], true],
    ]);
    for (const { answer } of sent) answer();
    const found = await Promise.all(asked);
    expect(found.map((answers) => answers.map(({ key }) => key))).toEqual([['k1'], ['k2', 'k3'], ['k4']]);
  });

  test('[Q1] FW3 what comes while a request is under way goes together once that is answered', async () => {
    const { sent, ask } = instance();
    void ask(['early']);
    await turn();
    const late = [ask(['late 1']), ask(['late 2'])];
    await turn();
    expect(sent).toHaveLength(1);
    sent[0]!.answer();
    await turn();
    await turn();
    expect(sent[1]!.keys).toEqual(['late 1', 'late 2']);
    sent[1]!.fail();
    for (const each of late) await expect(each).rejects.toThrow('no answer');
  });

  test('[Q1] FW3 one that waits for a commit holds up what comes for some milliseconds only', async () => {
    const { sent, clock, ask } = instance();
    void ask(['waits']);
    await turn();
    clock.pass(1);
    void ask(['late 1']);
    await turn();
    clock.pass(1);
    void ask(['late 2']);
    await turn();
    expect(sent).toHaveLength(1);
    clock.pass(1);
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['waits'], ['late 1', 'late 2']]);
    // Long after the last was sent nothing is waited for.
    clock.pass(10);
    void ask(['late 3']);
    await turn();
    expect(sent).toHaveLength(3);
  });

  test('[Q1] FW2 no more than eight requests are under way', async () => {
    const { sent, clock, ask } = instance();
    for (let i = 0; i < 12; i += 1) {
      void ask([`${i}`]);
      await turn();
      clock.pass(10);
      await turn();
    }
    expect(sent).toHaveLength(8);
    sent[0]!.answer();
    await turn();
    await turn();
    expect(sent[8]!.keys).toEqual(['8', '9', '10', '11']);
  });

  test('[Q1] no request has more keys than one takes, and a full one waits for none', async () => {
    const { sent, ask } = instance();
    for (let i = 0; i < 250; i += 1) void ask([`${i}`]);
    await turn();
    expect(sent.map(({ keys }) => keys.length)).toEqual([100, 100]);
    sent[0]!.answer();
    sent[1]!.answer();
    await turn();
    await turn();
    expect(sent.map(({ keys }) => keys.length)).toEqual([100, 100, 50]);
  });
});
