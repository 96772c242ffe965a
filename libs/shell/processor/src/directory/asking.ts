// Keys as this port answers for them: by its own processes, else by the instance that has the partition, else by a standby (Q1).
//
// Owns: nothing that outlives a question.
// Does not own: what a process holds (Here), who has a partition (the group).
//
// Invariants
//   AK1  What was forwarded is not forwarded again: an answer takes one hop at most.
//   AK2  `none` and `live` are said only by a process that holds the partition; where nothing is known, the answer says so.
import { messageOf } from '@flatline/base';
import type { EntryAnswer } from './entry-answer.ts';
import { entryAnswer } from './entry-answer.ts';
import type { Asking, HereAnswer, HereAnswers, Holder } from './here.ts';
import { afterwards, type Prompt } from './prompt.ts';

export interface Question extends Asking {
  /** Group of the instance that asks: it is answered by what is here. undefined: none of them does. */
  readonly forwardedBy: string | undefined;
}

export interface Asked {
  /** The answers of the processes behind this port; none: there is no such pipeline, or no process answers. */
  here(asking: Asking): Prompt<readonly HereAnswers[]>;
  /** Another instance's answers, in the order of the keys. @throws where it does not answer in time */
  there(endpoint: string, group: string, asking: Asking): Promise<readonly EntryAnswer[]>;
  /** This port, as others reach it; undefined: they do not. */
  readonly endpoint: () => string | undefined;
  readonly wallMs: () => number;
}

type GroupQuestion = Question & Pick<HereAnswers, 'group'>;

interface Open {
  readonly index: number;
  readonly key: Uint8Array;
  readonly best: HereAnswer;
}

/** In the order of the keys; undefined: no process of this port knows the pipeline. In words: why there are none. */
export type Answers = readonly EntryAnswer[] | string | undefined;

/** At once, where all keys live here and are committed as they stand. */
export function ask(asked: Asked, question: Question): Prompt<Answers> {
  const { pipeline, keys, isNow, forwardedBy } = question;
  const asking = { pipeline, keys, isNow, isForwarded: forwardedBy !== undefined };
  return afterwards(asked.here(asking), (processes) => answersOf(asked, question, processes));
}

function answersOf(asked: Asked, question: Question, processes: readonly HereAnswers[]): Prompt<Answers> {
  const { pipeline, keys, forwardedBy } = question;
  const [first] = processes;
  if (first === undefined) return undefined;
  if (first.refusal !== undefined) return first.refusal;
  const { group } = first;
  // An address outlives its instance, and loopback is another machine's: what is proved of another application is not ours.
  if (forwardedBy !== undefined && forwardedBy !== group)
    return `this is an instance of the group ${group}, not of ${forwardedBy}`;
  const found =
    processes.length === 1
      ? first.answers
      : keys.map((_key, index) => bestOf(processes.map(({ answers }) => answers[index]!)));
  const wallMs = asked.wallMs();
  const answers = found.map((answer, index) => entryAnswer({ pipeline, key: keys[index]!, wallMs }, first, answer));
  if (forwardedBy !== undefined || found.every(isByOwner)) return answers;
  const open = found.flatMap((best, index) => (isByOwner(best) ? [] : [{ index, key: keys[index]!, best }]));
  return answeredByOthers(asked, { ...question, group }, answers, open);
}

async function answeredByOthers(
  asked: Asked,
  question: GroupQuestion,
  answers: EntryAnswer[],
  open: readonly Open[],
): Promise<readonly EntryAnswer[]> {
  const left = await answerBy(asked, question, answers, open, ({ owner }) => owner);
  // The owner does not answer, or not yet: a standby's word, marked, is better than none.
  const unsaid = left.filter(({ best }) => best.kind !== 'found');
  if (unsaid.length > 0) await answerBy(asked, question, answers, unsaid, ({ standbys }) => standbys[0]);
  return answers;
}

const RANKS = { owner: 0, standby: 1, restoring: 2, moving: 3 } as const;

function bestOf(answers: readonly HereAnswer[]): HereAnswer {
  const rank = (answer: HereAnswer): number => RANKS[answer.kind === 'found' ? answer.from : answer.kind];
  return answers.reduce((best, each) => (rank(each) < rank(best) ? each : best));
}

function isByOwner(answer: HereAnswer): boolean {
  return answer.kind === 'found' && answer.from === 'owner';
}

/** Has the holders answer, each for all of its keys in one request. Returns what is left open. */
async function answerBy(
  asked: Asked,
  { pipeline, isNow, group }: GroupQuestion,
  answers: EntryAnswer[],
  open: readonly Open[],
  holderOf: (answer: HereAnswer) => Holder | undefined,
): Promise<readonly Open[]> {
  const own = asked.endpoint();
  const byEndpoint = Map.groupBy(open, ({ best }) => holderOf(best)?.endpoint ?? '');
  const left = await Promise.all(
    [...byEndpoint].map(async ([endpoint, those]) => {
      if (endpoint === '' || endpoint === own) return those;
      try {
        const theirs = await asked.there(endpoint, group, { pipeline, isNow, keys: those.map(({ key }) => key) });
        return those.filter(({ index, best }, at) => !takes(answers, index, theirs[at], best));
      } catch (error) {
        const detail = `${endpoint}, which has the partition, does not answer: ${messageOf(error)}`;
        for (const { index, best } of those) if (best.kind !== 'found') answers[index] = { ...answers[index]!, detail };
        return those;
      }
    }),
  );
  return left.flat();
}

/** True if the answer says what the key has. */
function takes(
  answers: EntryAnswer[],
  index: number,
  theirs: EntryAnswer | undefined,
  { partition, owner }: HereAnswer,
): boolean {
  // Whoever sees the group otherwise is asked again when both see it alike.
  if (theirs?.partition !== partition || theirs.owner !== owner?.name) return false;
  const isSaid = theirs.state === 'live' || theirs.state === 'none';
  const mine = answers[index]!;
  if (isSaid || (mine.state === 'moving' && theirs.state === 'restoring')) answers[index] = theirs;
  return isSaid;
}
