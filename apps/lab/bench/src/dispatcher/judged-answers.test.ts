import { expect, test } from '@jest/globals';
import { type Answer, AnswerJudge, type Heard } from './judged-answers.ts';

const login = (user: number, number: number, gateway: string): Heard => ({
  kind: 'login',
  user,
  sent: { login: number, sequence: 0 },
  gateway,
});
const message = (user: number, number: number, sequence: number): Heard => ({
  kind: 'message',
  user,
  sent: { login: number, sequence },
});
/** A log: user 7 at g0, two messages, one of them twice; at g1; the gateway g1 is lost; one more message. */
const LOG: readonly Heard[] = [
  login(7, 0, 'g0'),
  message(7, 0, 2),
  message(7, 0, 1),
  message(7, 0, 1),
  login(7, 1, 'g1'),
  { kind: 'eviction', gateway: 'g1' },
  message(7, 1, 1),
];
const said = (events: number, gateway: string, number: string): Answer['said'] => ({ events, gateway, login: number });
const answer = (position: number, what: Answer['said'], after?: Answer['after']): Answer => ({
  user: 7,
  partition: 0,
  position,
  said: what,
  after,
});

function judge(answers: readonly Answer[]): ReturnType<AnswerJudge['finish']> {
  const judged = new AnswerJudge(answers, 1);
  for (const [offset, heard] of LOG.entries()) judged.see(0, offset, heard);
  return judged.finish([[7, { login: 1, sequence: 1 }]]);
}

test('an answer is right where it says what the log below its position says', () => {
  const right = [
    answer(0, undefined),
    answer(1, said(1, 'g0', '0'), { login: 0, sequence: 0 }),
    answer(3, said(3, 'g0', '0'), { login: 0, sequence: 1 }),
    answer(4, said(3, 'g0', '0')),
    answer(5, said(4, 'g1', '1')),
    answer(6, undefined),
    answer(7, said(1, '', '')),
  ];
  expect(judge(right)).toEqual({ wrong: [], wrongCount: 0, lost: 0, evicted: 1 });
});

test.each([
  ['of an older state', answer(3, said(2, 'g0', '0'))],
  ['that counts a message twice', answer(4, said(4, 'g0', '0'))],
  ['of a login that was replaced', answer(5, said(4, 'g0', '0'))],
  ['of one who is not there', answer(6, said(4, 'g1', '1'))],
  ['that there is none', answer(5, undefined)],
  ['as of before what was in the log when it was asked for', answer(1, said(1, 'g0', '0'), { login: 0, sequence: 2 })],
])('an answer %s is wrong', (_what, wrong) => {
  expect(judge([wrong])).toMatchObject({ wrongCount: 1, wrong: [expect.stringContaining('user 7')] });
});

test('what was acknowledged and is not in the log is lost', () => {
  const judged = new AnswerJudge([answer(1, undefined)], 1);
  expect(judged.finish([[7, { login: 0, sequence: 9 }]]).lost).toBe(1);
});
