// Dead letters, as `GET /api/v1/dead-letters/PIPELINE` has them.
import { number } from './words.ts';

export interface DeadLetter {
  /** PARTITION/OFFSET in the dead-letter topic. */
  readonly place: string;
  readonly writtenAt: number;
  readonly reason: string;
  readonly detail: string;
  readonly key?: string;
  readonly keyBase64?: string;
  readonly valueBytes: number | null;
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: number };
  readonly replays: number;
  readonly isWhole: boolean;
}

export interface Replayed {
  readonly replayed?: readonly { readonly place: string }[];
  readonly left?: readonly { readonly place: string; readonly why: string }[];
  readonly error?: string;
}

export function canGoBack({ isWhole, replays }: DeadLetter): boolean {
  return isWhole && replays === 0;
}

export function lettersFinding(letters: readonly DeadLetter[]): string {
  const open = letters.filter(({ replays }) => replays === 0);
  if (open.length === 0)
    return letters.length === 0 ? 'No record was refused of late' : 'All that was refused of late was replayed';
  const counts = Map.groupBy(open, ({ reason }) => reason);
  const [[reason, most] = ['', []]] = [...counts].sort(([, a], [, b]) => b.length - a.length);
  return `${number(open.length)} refused of late, ${most.length === open.length ? 'all' : `${number(most.length)} of them`} as ${reason}`;
}

export function replayWord(status: number, { replayed = [], left = [], error }: Replayed): string {
  if (status !== 202) return error ?? `the processor answers ${status}`;
  const stayed = left.map(({ place, why }) => `${place} stays: ${why}`);
  return [`${number(replayed.length)} sent back`, ...stayed].join('; ');
}
