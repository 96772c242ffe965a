// The page's facts and the user's choices, as signals.
import { computed, signal } from '@preact/signals';
import { FactStore } from '../model/fact-store.ts';
import type { PartFact, PipelineFact } from '../model/facts.ts';
import { type Move, moveBetween, withMove } from '../model/moves.ts';
import { type Sample, sampleOf, withSample } from '../model/samples.ts';

export const TABS = ['overview', 'partitions', 'entries', 'statistics', 'letters', 'deliveries'] as const;
export type Tab = (typeof TABS)[number];

export const moves = signal<readonly Move[]>([]);
export const facts = new FactStore(hear);
/** In words; undefined: facts come. */
export const trouble = signal<string | undefined>('connecting to the processor');
export const needsToken = signal(false);
/** It is kept in memory alone: whoever closes the page takes it along. */
export const token = signal('');
export const tab = signal<Tab>(tabNow());
const chosen = signal<string | undefined>(undefined);
const samples = signal<ReadonlyMap<string, readonly Sample[]>>(new Map());

export const pipelineName = computed<string | undefined>(() => {
  const all = facts.pipelines;
  return all.find((name) => name === chosen.value) ?? all[0];
});
export const pipeline = computed<PipelineFact | undefined>(() =>
  pipelineName.value === undefined ? undefined : facts.pipeline(pipelineName.value),
);
/** The chosen pipeline's, oldest first. */
export const history = computed<readonly Sample[]>(() => samples.value.get(pipelineName.value ?? '') ?? []);

export function choose(name: string): void {
  chosen.value = name;
}

export function enter(given: string): void {
  token.value = given;
  needsToken.value = false;
}

/** With each message. */
export function sample(): void {
  const { instance } = facts;
  if (instance === undefined) return;
  const next = new Map(samples.value);
  for (const name of facts.pipelines) {
    const figures = facts.figures(name).map(([, figure]) => figure);
    next.set(name, withSample(next.get(name) ?? [], sampleOf(instance.wallMs, figures)));
  }
  samples.value = next;
}

function hear(path: string, before: unknown, after: unknown): void {
  const [what, name, partition] = path.split('/');
  if (what !== 'part') return;
  const move = moveBetween(before as PartFact | undefined, after as PartFact | undefined);
  if (move !== undefined)
    moves.value = withMove(moves.value, {
      atMs: Date.now(),
      pipeline: name!,
      partition: Number(partition),
      what: move,
    });
}

export function tabNow(): Tab {
  const hash = location.hash.slice(1);
  return TABS.find((each) => each === hash) ?? 'overview';
}
