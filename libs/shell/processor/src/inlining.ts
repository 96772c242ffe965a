// How much of the way of a record V8 compiles into one piece.
//
// A record passes some dozens of short functions, most of them inlined where they are called, up to 920 bytes of bytecode a piece.
// An event with a payload needs more than two such pieces' worth: what is left over is called, with its arguments passed and its
// checks made again, a dozen times for each event.
import { setFlagsFromString } from 'node:v8';

const FLAG = '--max-inlined-bytecode-size-cumulative';
const BYTES = 3_000;

/** As V8 takes it. */
export const INLINING_FLAG = `${FLAG}=${BYTES}`;

/** Has V8 inline more in all that it compiles from now on: for a program that is a processor and nothing else. */
export function inlineMore({ execArgv }: Pick<NodeJS.Process, 'execArgv'>): void {
  // Who sets it by hand is trying something out.
  if (execArgv.some((each) => each.replaceAll('_', '-').startsWith(FLAG))) return;
  setFlagsFromString(INLINING_FLAG);
}
