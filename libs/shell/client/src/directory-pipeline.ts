// Name of the pipeline that a directory is of: as the application gives it, else of the only one that the instances have.
//
// Owns: the name, once it is known.
// Does not own: whom to ask (directory).
import { Misconfigured } from '@flatline/base';

interface Listed {
  readonly name: string;
  readonly deliveriesOf?: string;
  readonly instances?: readonly unknown[];
}

/** Why an instance's answer does not say yet which pipelines there are; undefined: it does. */
export function whyNotListed(said: unknown): string | undefined {
  const pipelines = ownIn(said);
  if (pipelines === undefined) return 'it says nothing of pipelines: is it a processor?';
  if (pipelines.length === 0) return 'it has opened no pipeline yet';
  // One that starts opens them one after the other, and joins their groups once it has opened them all.
  if (pipelines.length === 1 && pipelines[0]!.instances?.length === 0) return 'it has not joined its group yet';
  return undefined;
}

/** Without those that keep another's deliveries: they are meant only where they are named. */
function ownIn(said: unknown): readonly Listed[] | undefined {
  const { pipelines } = said as { readonly pipelines?: readonly Listed[] };
  return Array.isArray(pipelines)
    ? (pipelines as readonly Listed[]).filter(({ deliveriesOf }) => deliveriesOf === undefined)
    : undefined;
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
    this.#known ??= onlyOne((await this.#ask()).said);
    return this.#known;
  }
}

function onlyOne(said: unknown): string {
  const [first, ...others] = (ownIn(said) ?? []).map(({ name }) => name);
  if (first !== undefined && others.length === 0) return first;
  const names = [first, ...others].join(', ');
  throw new Misconfigured(`directory: give pipeline, which may be left out where there is one: ${names}`);
}
