// Tells an application of instances that give its subscription no events, while that goes on asking.
//
// Owns: when which address was last told of.
// Does not own: the connections (directory-watch).
import { type DurationMs, messageOf, Retriable } from '@flatline/base';
import type { DirectoryPipeline } from './directory-pipeline.ts';
import { TELL_AGAIN_MS } from './trouble.ts';

/** An instance that is asked for events does not answer, refuses, or is no processor; it is asked again, and so are the others. */
export interface WatchTrouble {
  readonly kind: 'connection';
  readonly url: string;
  /** The address, why, and what to look at. */
  readonly message: string;
}

/** An instance that limits its rate, or is starting, and says when to come again is no trouble. */
export class Later extends Retriable {
  readonly afterMs: DurationMs;
  constructor(afterMs: DurationMs) {
    super('the instance asks to come later');
    this.afterMs = afterMs;
  }
}

export class RefusedBy extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** No answer yet from an instance that runs. */
export class StillStarting extends Error {}

/** Picks the failures to tell of: the first of an address, and one each TELL_AGAIN_MS until it gives events. */
export class InstanceTroubles {
  readonly #pipeline: DirectoryPipeline;
  /** As many as `urls` has. */
  readonly #toldAtMs = new Map<string, DurationMs>();

  constructor(pipeline: DirectoryPipeline) {
    this.#pipeline = pipeline;
  }

  answered(url: string): void {
    this.#toldAtMs.delete(url);
  }

  /** `failure`: undefined where it gave events before it ended. */
  hear(url: string, failure: unknown, nowMs: DurationMs): WatchTrouble | undefined {
    if (failure === undefined || failure instanceof Later) return undefined;
    const toldAtMs = this.#toldAtMs.get(url) ?? -Infinity;
    if (nowMs - toldAtMs < TELL_AGAIN_MS) return undefined;
    this.#toldAtMs.set(url, nowMs);
    const { known } = this.#pipeline;
    const of = known === undefined ? '' : ` of pipeline ${known}`;
    const message = `${url} gives no events${of}: ${whyOf(failure)}. It is asked again: ${remedyOf(failure)}`;
    return { kind: 'connection', url, message };
  }
}

/** A name with several addresses has several errors, and no message. */
function whyOf(failure: unknown): string {
  const message = messageOf(failure);
  if (message !== '') return message;
  return (failure as NodeJS.ErrnoException).code ?? 'no answer';
}

function remedyOf(failure: unknown): string {
  const why = failure instanceof Retriable ? failure.cause : failure;
  if (why instanceof RefusedBy && (why.status === 401 || why.status === 403))
    return 'give directory a token that has the role read';
  if (why instanceof StillStarting) return 'wait until it has started';
  return 'see that urls of directory has the addresses of processors (http.host and http.port), and that they run';
}
