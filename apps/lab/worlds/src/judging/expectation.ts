// What must come out of a partition while the cluster runs: the oracle's fold of its input so far.
import type { Simulation } from '@flatline/cluster';
import { type Folded, foldInput, type InputRecord, type InputTruth, type PipelineRules } from '@flatline/oracle';
import { FAILS_APPLYING, FAILS_DECODING, isWildStamp } from '../devices.ts';
import { INPUT, MAX_KEY_BYTES, RULES } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import { commitsOf, summariesIn } from './decisions.ts';
import { inputIn } from './histories.ts';

const text = new TextDecoder();

/** What only the devices know. Their other stamps lie in the past. */
export const DEVICES_TRUTH: InputTruth = { refusalOf, presentDecides: false };

const ENDLESS = { entriesMax: Infinity, keyBytesMax: Infinity, stateBytesMax: Infinity };

interface FoldExtent {
  /** Only records below this offset. */
  readonly below?: number;
  /** C3: how far evidence that no record tells has moved the clock at the end. */
  readonly clockAtEnd?: number;
  /** As if there were room for every session (I7). */
  readonly hasRoom?: boolean;
}

export function rulesOf(scenario: Scenario): PipelineRules {
  const { timestampType, timeoutMs, maxDurationMs, tombstones, proof, heldTime, bounds } = scenario;
  const { maxStateBytes: stateBytesMax } = scenario;
  const { unheardMs, maxHoldMs } = heldTime ?? { unheardMs: 0, maxHoldMs: 0 };
  const { entriesMax, keyBytesMax } = bounds;
  const sizes = { ...RULES, timestampType, maxKeyBytes: MAX_KEY_BYTES, entriesMax, keyBytesMax, stateBytesMax };
  return { ...sizes, timeoutMs, maxDurationMs, tombstones, proof, unheardMs, maxHoldMs };
}

export function foldPartition(
  simulation: Simulation,
  scenario: Scenario,
  partition: number,
  { below = Infinity, clockAtEnd = 0, hasRoom = false }: FoldExtent = {},
): Folded {
  const records = simulation.log.committed(INPUT, partition).filter(({ offset }) => offset < below);
  const origin = originOf(simulation, partition);
  const rules = { ...rulesOf(scenario), ...(hasRoom && ENDLESS) };
  return foldInput(records.map(inputIn), { partition, rules, origin, clockAtEnd, refusalOf });
}

/** As the first commit states it (R3). */
export function originOf(simulation: Simulation, partition: number): number {
  return commitsOf(simulation, partition)[0]?.header.origin ?? 0;
}

/** C3: how far the last commit says that the clock came; 0 where records alone move it. */
export function endOfTime(simulation: Simulation, { proof }: Scenario, partition: number): number {
  return proof === 'record' ? 0 : (commitsOf(simulation, partition).at(-1)?.header.clock ?? 0);
}

/** Sessions that were closed while no record of the log had passed their deadline (C3). */
export function countClosedByFetch(simulation: Simulation, scenario: Scenario, partition: number): number {
  if (scenario.proof === 'record') return 0;
  const { steps } = foldPartition(simulation, scenario, partition);
  const closed = commitsOf(simulation, partition).flatMap(({ header, outputs }) => {
    const clock = steps.findLast(({ offset }) => offset < header.position)?.clock ?? 0;
    return summariesIn(outputs).filter((summary) => Number(summary['closedAt']) > clock);
  });
  return closed.length;
}

function refusalOf({ timestamp, value }: InputRecord): 'stamp' | 'content' | undefined {
  if (isWildStamp(timestamp)) return 'stamp';
  const said = value === null ? '' : text.decode(value);
  return said.includes(FAILS_DECODING) || said.includes(FAILS_APPLYING) ? 'content' : undefined;
}
