// Name of the pipeline that a directory is of: as the application gives it, else of the only one that the instances have.
//
// Owns: the name, once it is known.
// Does not own: whom to ask (directory).
import { Misconfigured } from '@flatline/base';

interface Listed {
  readonly name: string;
  readonly deliveriesOf?: string;
  readonly instances?: readonly unknown[];
  readonly partitions?: readonly unknown[];
  readonly standbys?: readonly unknown[];
}

/** Why an instance's answer does not say yet which pipelines there are; undefined: it does. */
export function whyNotListed(said: unknown): string | undefined {
  const pipelines = ownIn(said);
  if (pipelines === undefined) return 'it says nothing of pipelines: is it a processor?';
  if (pipelines.length === 0) return 'it has opened no pipeline yet';
  // One that starts opens them one after the other, and joins their groups once it has opened them all.
  if (pipelines.length === 1 && !hasJoined(pipelines[0]!)) return 'it has not joined its group yet';
  return undefined;
}

/** Who leads the group may not say who its members are, where it is of another version. */
function hasJoined({ instances, partitions, standbys }: Listed): boolean {
  const all = [instances, partitions, standbys].filter((each) => each !== undefined);
  return all.length === 0 || all.some(({ length }) => length > 0);
}

/** Without those that keep another's deliveries: they are meant only where they are named. */
function ownIn(said: unknown): readonly Listed[] | undefined {
  const { pipelines } = (said ?? {}) as { readonly pipelines?: readonly Listed[] };
  return Array.isArray(pipelines)
    ? (pipelines as readonly Listed[]).filter(({ deliveriesOf }) => deliveriesOf === undefined)
    : undefined;
}

/** Names of the pipelines among which one has to be named; of an answer that says them (`whyNotListed`). */
export function pipelinesIn(said: unknown): readonly string[] {
  return (ownIn(said) ?? []).map(({ name }) => name);
}

export class DirectoryPipeline {
  readonly #ask: () => Promise<{ readonly said: unknown }>;
  #known: string | undefined;

  /** `given`: undefined, where the application names none. `ask`: an instance that does say (`whyNotListed`). */
  constructor(given: string | undefined, ask: () => Promise<{ readonly said: unknown }>) {
    this.#known = given;
    this.#ask = ask;
  }

  /** undefined: it has yet to be asked for. */
  get known(): string | undefined {
    return this.#known;
  }

  /** @throws Retriable where no instance says it now, Misconfigured where there are several */
  async name(): Promise<string> {
    if (this.#known === undefined) {
      const names = pipelinesIn((await this.#ask()).said);
      if (names.length > 1)
        throw new Misconfigured(
          `directory: give pipeline, which may be left out where there is one: ${names.join(', ')}`,
        );
      this.#known = names[0]!;
    }
    return this.#known;
  }
}
