// All facts, each a signal: what is drawn of one is drawn again when that one changes, and no other.
import { batch, signal } from '@preact/signals';
import type { DeliveryFact, FiguresFact, InstanceFact, Message, NowFact, PartFact, PipelineFact } from './facts.ts';

const FIGURES = 'figures/';
const DELIVERIES = 'deliveries/';

/** A signal. */
interface Fact<T> {
  value: T;
  peek(): T;
}

/** Told of each change, before it is drawn. */
export type Hears = (path: string, before: unknown, after: unknown) => void;

export class FactStore {
  readonly #facts = new Map<string, Fact<unknown>>();
  readonly #hears: Hears;
  /** Paths of what instances tell of themselves, which come and go with them. */
  readonly #ofInstances = signal<readonly string[]>([]);

  constructor(hears: Hears = () => undefined) {
    this.#hears = hears;
  }

  take({ facts, gone = [] }: Message): void {
    batch(() => {
      for (const [path, fact] of Object.entries(facts)) this.#set(path, fact);
      for (const path of gone) this.#set(path, undefined);
    });
  }

  /** Forgets the facts: another connection tells all of them. */
  clear(): void {
    batch(() => {
      for (const fact of this.#facts.values()) fact.value = undefined;
      this.#ofInstances.value = [];
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

  figures(name: string): readonly (readonly [instance: string, figures: FiguresFact])[] {
    return this.#byInstance(`${FIGURES}${name}/`) as readonly (readonly [string, FiguresFact])[];
  }

  deliveries(name: string): readonly (readonly [instance: string, endpoints: readonly DeliveryFact[]])[] {
    return this.#byInstance(`${DELIVERIES}${name}/`) as readonly (readonly [string, readonly DeliveryFact[]])[];
  }

  #byInstance(begin: string): readonly (readonly [instance: string, fact: unknown])[] {
    return this.#ofInstances.value.flatMap((path) => {
      const fact = path.startsWith(begin) ? this.#at(path).value : undefined;
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
    if (!path.startsWith(FIGURES) && !path.startsWith(DELIVERIES)) return;
    if ((before === undefined) === (fact === undefined)) return;
    const others = this.#ofInstances.peek().filter((each) => each !== path);
    this.#ofInstances.value = fact === undefined ? others : [...others, path].sort();
  }
}
