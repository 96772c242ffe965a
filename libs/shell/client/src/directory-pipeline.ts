// Name of the pipeline that a directory is of: as the application gives it, else of the only one that the instances have.
//
// Owns: the name, once it is known.
// Does not own: whom to ask (directory).
import { Misconfigured, Retriable } from '@flatline/base';

/** An instance's answer to which pipelines it has. */
interface PipelinesSaid {
  readonly by: string;
  readonly said: unknown;
}

interface Listed {
  readonly name: string;
  readonly deliveriesOf?: string;
}

export class DirectoryPipeline {
  readonly #ask: () => Promise<PipelinesSaid>;
  #known: string | undefined;

  /** `given`: undefined, where the application names none. */
  constructor(given: string | undefined, ask: () => Promise<PipelinesSaid>) {
    this.#known = given;
    this.#ask = ask;
  }

  /** undefined: it has yet to be asked for. */
  get known(): string | undefined {
    return this.#known;
  }

  /** @throws Retriable where no instance says it now, Misconfigured where there are several */
  async name(): Promise<string> {
    this.#known ??= onlyOne(await this.#ask());
    return this.#known;
  }
}

function onlyOne({ by, said }: PipelinesSaid): string {
  const { pipelines } = said as { readonly pipelines?: readonly Listed[] };
  if (!Array.isArray(pipelines)) throw new Retriable(`${by} says nothing of pipelines: is it a processor?`);
  // One that keeps another's deliveries is meant only where it is named.
  const names = (pipelines as readonly Listed[])
    .filter(({ deliveriesOf }) => deliveriesOf === undefined)
    .map(({ name }) => name);
  const [first, ...others] = names;
  if (first === undefined) throw new Retriable(`${by} has opened no pipeline yet`);
  if (others.length === 0) return first;
  throw new Misconfigured(`directory: give pipeline, which may be left out where there is one: ${names.join(', ')}`);
}
