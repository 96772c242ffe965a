// Tells on a page how warm the broker is: a JVM compiles what it runs often, which is no contender's cost.
import type { Spread } from '../statistics.ts';
import { ifKnown, secondsText } from '../text-table.ts';
import type { Column } from './page.ts';

/** Beside the broker's CPU seconds. */
export const COMPILING: Column<{ readonly brokerCompilingMs: Spread | undefined }> = [
  'of it compiling',
  ({ brokerCompilingMs }) => ifKnown(brokerCompilingMs, secondsText, '–'),
];
export const COMPILING_NOTE =
  'of it compiling: what the JVM of the broker took to compile its own code, of which one that has run for long takes next to none.';
/** For a measurement that `warmsUp`. */
export const WARM_UP_NOTE =
  'Before the first turn, each that shares the broker with others took one that is not counted, so that the broker is warm.';
