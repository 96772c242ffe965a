// Id of a changelog, in the header of each commit from its first on: a name of its own, and the kind of its entries (I4).
import { Misconfigured } from '@flatline/base';

/** `kind` undefined: it is not said. */
export function newLogId(id: string, kind: string | undefined): string {
  return kind === undefined ? id : `${kind}:${id}`;
}

/** undefined where it does not say: that of an earlier build. */
export function kindOfLog(logId: string): string | undefined {
  return /^([a-z]{1,20}):/.exec(logId)?.[1];
}

/** Heads of one kind may well be read as those of another, and mean something else. `keeper`: what says that they are of kind `kept`. */
export function otherKind(name: string, kind: string, keeper: string, kept: string): Misconfigured {
  return new Misconfigured(
    `pipeline ${name}: kind is "${kind}", and what ${keeper} has kept so far is of kind "${kept}". Nothing was reset. Set ` +
      'the kind back; or give the pipeline another name and another output.topic, and it begins with no state',
  );
}
