import type { PartitionTask } from '@flatline/partition';
import type { TaskContext, TaskInput } from '../task-context.ts';
import { FetchProof, type Heard } from '../proof/fetch-proof.ts';
import { Prover } from '../proof/prover.ts';
import { ProofByClockRecord, ProofByEnd, type SilenceProof } from '../proof/silence-proof.ts';

/** Clock records (C2, C8), or, where the settings say that the input may not be written, requests for its end (C3). */
export function chosenProofs(
  context: TaskContext,
  task: PartitionTask,
  claimHeard: Heard | undefined,
): readonly SilenceProof[] {
  return context.inputs.map((input) => chosenProof(context, input, task, claimHeard));
}

function chosenProof(
  { settings, ports }: TaskContext,
  { timestampType, ...input }: TaskInput,
  task: PartitionTask,
  claimHeard: Heard | undefined,
): SilenceProof {
  const { proofIntervalMs, tickMs, proofByFetch, heldTime } = settings;
  const now = ports.clock.monotonicMs();
  if (proofByFetch === undefined) {
    const unheardMs = heldTime?.unheardMs ?? 0;
    const prover = new Prover({ timestampType, proofIntervalMs, tickMs, unheardMs }, now);
    return new ProofByClockRecord({ input, timestampType, ports }, prover);
  }
  const fetchProof = new FetchProof({ proofIntervalMs, tickMs, ...proofByFetch });
  // The present is known from the start on: the clock was it once, and the claim was stamped by a broker just now.
  fetchProof.heard({ appendedAt: task.clock.now, receivedAtMs: now });
  if (claimHeard !== undefined) fetchProof.heard(claimHeard);
  return new ProofByEnd({ input, ports, task }, fetchProof);
}
