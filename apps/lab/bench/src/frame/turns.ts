// Takes turns: everything compared is measured once, then all of it again, so that other load on the machine falls on all alike.
import { type Place, withApplication } from './application.ts';
import { type Application } from '../tasks/application.ts';

interface Rounds {
  readonly repeats: number;
  readonly onProgress: (what: string) => void;
  /** True if a round comes first that is not counted: in it the broker compiles the code that each cell makes it run. */
  readonly warmsUp?: boolean;
}

/** Something measured once in each round. */
export interface Cell<Turn> {
  readonly name: string;
  /** A peer's failure does not keep the others from being measured. */
  readonly isPeer?: boolean | undefined;
  /** True if its server is started for each turn, and would be as cold after a turn that is not counted. */
  readonly hasOwnServer?: boolean;
  /** @param repeat from 0; -1: the turn is not counted */
  take(repeat: number): Promise<Turn>;
}

export interface Taken<Turn> {
  /** By cell, in their order; empty for a cell that failed. */
  readonly turns: readonly (readonly Turn[])[];
  /** Cells that failed, with the error. */
  readonly failures: readonly string[];
}

/** Each round begins with another cell, so that none always runs after the same one. @throws the error of a cell that is no peer's */
export async function takeTurns<Turn>(
  cells: readonly Cell<Turn>[],
  { repeats, onProgress, warmsUp = false }: Rounds,
): Promise<Taken<Turn>> {
  const taken = new Map(cells.map((cell) => [cell, [] as Turn[]]));
  const failures: string[] = [];
  for (let repeat = warmsUp ? -1 : 0; repeat < repeats; repeat += 1)
    for (const cell of repeat < 0 ? cells.filter(({ hasOwnServer }) => hasOwnServer !== true) : inTurn(cells, repeat)) {
      if (!taken.has(cell)) continue;
      onProgress(`${cell.name}, ${repeat < 0 ? 'warming up' : `${repeat + 1} of ${repeats}`}`);
      try {
        const turn = await cell.take(repeat);
        if (repeat >= 0) taken.get(cell)!.push(turn);
      } catch (error) {
        // A peer that has failed once is not tried again; our own failures must be fixed.
        if (cell.isPeer !== true) throw error;
        failures.push(failureText(cell.name, error));
        taken.delete(cell);
      }
    }
  return { turns: cells.map((cell) => taken.get(cell) ?? []), failures };
}

/** Something measured with a new application each time. */
export interface ApplicationCell<Turn> extends Omit<Cell<Turn>, 'take'> {
  take(application: Application): Promise<Turn>;
}

/** Turns of all cells in one. @throws as `takeTurns` */
export async function takeApplicationTurns<Turn>(
  ground: Place & Rounds,
  cells: readonly ApplicationCell<Turn>[],
): Promise<{ readonly turns: readonly Turn[]; readonly failures: readonly string[] }> {
  const prepared = cells.map((cell) => ({
    ...cell,
    take: () => withApplication(ground, (application) => cell.take(application)),
  }));
  const { turns, failures } = await takeTurns(prepared, ground);
  return { turns: turns.flat(), failures };
}

export function failureText(name: string, error: unknown): string {
  return `${name}: it failed: ${(error as Error).message.split('\n')[0]!}`;
}

function inTurn<T>(all: readonly T[], repeat: number): readonly T[] {
  const first = repeat % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
