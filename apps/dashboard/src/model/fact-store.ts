// All facts, each a signal: what is drawn of one is drawn again when that one changes, and no other.
import { batch, signal } from '@preact/signals';
import type { FiguresFact, InstanceFact, Message, NowFact, PartFact, PipelineFact } from './facts.ts';

/** A signal. */
interface Fact<T> {
  value: T;
  peek(): T;
}

/** What is told of each change, before it is drawn. */
export type Hears = (path: string, before: unknown, after: unknown) => void;

export class FactStore {
  readonly #facts = new Map<string, Fact<unknown>>();
  readonly #hears: Hears;
  /** Paths of figures, which come and go with instances. */
  readonly #figures = signal<readonly string[]>([]);

  constructor(hears: Hears = () => undefined) {
    this.#hears = hears;
  }

  take({ facts, gone = [] }: Message): void {
    batch(() => {
      for (const [path, fact] of Object.entries(facts)) this.#set(path, fact);
      for (const path of gone) this.#set(path, undefined);
    });
  }

  /** What was told before is forgotten: another connection tells it whole. */
  clear(): void {
    batch(() => {
      for (const fact of this.#facts.values()) fact.value = undefined;
      this.#figures.value = [];
    });
  }

  get instance(): InstanceFact | undefined {
    return this.#of<InstanceFact>('instance').value;
  }

  get pipelines(): readonly string[] {
    return this.#of<readonly string[]>('pipelines').value ?? [];
  }

  pipeline(name: string): PipelineFact | undefined {
    return this.#of<PipelineFact>(`pipeline/${name}`).value;
  }

  part(name: string, partition: number): PartFact | undefined {
    return this.#of<PartFact>(`part/${name}/${partition}`).value;
  }

  now(name: string, partition: number): NowFact | undefined {
    return this.#of<NowFact>(`now/${name}/${partition}`).value;
  }

  /** By instance. */
  figures(name: string): readonly (readonly [instance: string, figures: FiguresFact])[] {
    const begin = `figures/${name}/`;
    return this.#figures.value.flatMap((path) => {
      const fact = path.startsWith(begin) ? this.#of<FiguresFact>(path).value : undefined;
      return fact === undefined ? [] : [[path.slice(begin.length), fact] as const];
    });
  }

  #of<T>(path: string): Readonly<Fact<T | undefined>> {
    return this.#at(path) as Readonly<Fact<T | undefined>>;
  }

  #at(path: string): Fact<unknown> {
    const found = this.#facts.get(path) ?? signal<unknown>(undefined);
    this.#facts.set(path, found);
    return found;
  }

  #set(path: string, fact: unknown): void {
    const at = this.#at(path);
    const before = at.peek();
    this.#hears(path, before, fact);
    at.value = fact;
    if (!path.startsWith('figures/') || (before === undefined) === (fact === undefined)) return;
    const others = this.#figures.peek().filter((each) => each !== path);
    this.#figures.value = fact === undefined ? others : [...others, path].sort();
  }
}
