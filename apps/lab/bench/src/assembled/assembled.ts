// The cost of assembled sessions: bytes with attributes, with revisions that may come, with statistics; an event of two inputs beside
// one; a close that is counted beside one that is not.
import { framed, type Ground, over } from '../frame/frame.ts';
import {
  assembledPage,
  bytesRows,
  closeRows,
  type CloseTurn,
  conditionsText,
  inputRows,
  type InputTurn,
  type ShapeBytes,
} from './assembled-page.ts';
import { measureCloses } from './close-cost.ts';
import { measureInputs } from './input-cost.ts';
import { measureBytes } from './session-bytes.ts';
import { SHAPES } from './shapes.ts';

const DEFAULTS = {
  /** Live ones of each shape, and those that close together. */
  sessions: 400_000,
  /** Events of each kind, for each number of inputs. */
  events: 6_000_000,
  warmUpShare: 0.2,
  /** Sessions that events belong to. */
  liveSessions: 200_000,
  partitions: 4,
  repeats: 3,
};

interface Measured {
  readonly shapes: readonly ShapeBytes[];
  readonly inputTurns: readonly InputTurn[];
  readonly closeTurns: readonly CloseTurn[];
  readonly events: ReturnType<typeof inputRows>;
  readonly closes: ReturnType<typeof closeRows>;
}

export const assembled = framed({
  name: 'assembled',
  description:
    'bytes of a session with attributes, revisions and statistics; events of two inputs; closes that are counted',
  settings: (options) => over(DEFAULTS, options),
  conditions: conditionsText,
  measure: async (ground: Ground<typeof DEFAULTS>): Promise<Measured> => {
    const inputTurns = await measureInputs(ground);
    const closeTurns = await measureCloses({ ...ground, closes: ground.sessions });
    const shapes = await measureBytes(ground, SHAPES, ground.sessions);
    return { shapes, inputTurns, closeTurns, events: inputRows(inputTurns), closes: closeRows(closeTurns) };
  },
  report: ({ shapes, events, closes }) => ({ rows: bytesRows(shapes), page: assembledPage(events, closes) }),
});
