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

/** An instance that answers when it is told to. */
function instance(): { readonly sent: Sent[]; readonly forwarding: Forwarding } {
  const sent: Sent[] = [];
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
  );
  return { sent, forwarding };
}

const turn = (): Promise<unknown> => new Promise(setImmediate);

describe('forwarding', () => {
  test('[Q1] keys that wait for one instance go in one request, and each asker has the answers to its own', async () => {
    const { sent, forwarding } = instance();
    const ask = (keys: readonly string[], isNow = false): Promise<readonly EntryAnswer[]> =>
      forwarding.ask('http://b', 'g', { pipeline: 'p', keys: keys.map(bytes), isNow });
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

  test('[Q1] a few requests are under way, and what comes meanwhile goes together once one has been answered', async () => {
    const { sent, forwarding } = instance();
    const ask = (key: string): Promise<readonly EntryAnswer[]> =>
      forwarding.ask('http://b', 'g', { pipeline: 'p', keys: [bytes(key)], isNow: false });
    for (let i = 0; i < 4; i += 1) {
      void ask(`early ${i}`);
      await turn();
    }
    const late = [ask('late 1'), ask('late 2')];
    await turn();
    expect(sent).toHaveLength(4);
    sent[0]!.answer();
    await turn();
    await turn();
    expect(sent[4]!.keys).toEqual(['late 1', 'late 2']);
    sent[4]!.fail();
    for (const each of late) await expect(each).rejects.toThrow('no answer');
  });

  test('[Q1] no request has more keys than one takes', async () => {
    const { sent, forwarding } = instance();
    for (let i = 0; i < 150; i += 1)
      void forwarding.ask('http://b', 'g', { pipeline: 'p', keys: [bytes(`${i}`)], isNow: false });
    await turn();
    expect(sent.map(({ keys }) => keys.length)).toEqual([100, 50]);
  });
});
