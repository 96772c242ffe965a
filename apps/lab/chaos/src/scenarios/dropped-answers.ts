// F2 and F2b: the broker has carried out a request, or will later, and the processor cannot tell.
import { KafkaProxy, type RequestFault } from '../proxy/kafka-proxy.ts';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

const FAULTS_PER_TRIAL = 12;
const FAULTS_OF_SAMPLE = 6;
/** Number without a guard: only commits with closes lose anything. */
const FAULTS_UNSAFE = 30;
const SILENCES_PER_TRIAL = 3;
const words = {
  answerDropped: 'the answer dropped, and the connection',
  silence: 'the answer dropped in silence',
  late: 'late',
};
const FAULT_WITHIN_MS = 15_000;
/** Short, so that silences end sooner; the test does not depend on it. */
const TRANSACTION_TIMEOUT_MS = 3_000;
/** Time between two faults: enough to settle the commit and make some others. */
const BETWEEN_MS = 400;
/** Past the successor's InitProducerId and the begin of its transaction, which take some tens of milliseconds. */
const LATEST = 1_500;

const outcomeFault = (context: TrialContext): RequestFault => {
  const kinds: readonly RequestFault[] = [
    { api: 'EndTxn', kind: 'answerDropped' },
    { api: 'EndTxn', kind: 'late', lateMs: 1 + context.random.below(LATEST) },
    { api: 'EndTxn', kind: 'silence' },
  ];
  return kinds[context.index % kinds.length]!;
};

const steps = ['Produce', 'AddPartitionsToTxn', 'TxnOffsetCommit', 'AddOffsetsToTxn', 'InitProducerId'] as const;

const stepFault = (context: TrialContext): RequestFault => {
  const api = steps[context.index % steps.length]!;
  // InitProducerId is sent once per life: the dropped answer is the successor's.
  return { api, kind: context.index % (2 * steps.length) < steps.length ? 'answerDropped' : 'late', lateMs: 700 };
};

export const outcomeUnknown: Scenario = {
  id: 'F2',
  title: 'commit outcome unknown: the answer to EndTxn dropped, or EndTxn late',
  nodes: 1,
  variants: 3,
  countsFaults: true,
  guards: ['look-up'],
  run: (context) => run(context, outcomeFault),
};

export const stepUnanswered: Scenario = {
  id: 'F2b',
  title: 'the answer to Produce, AddPartitionsToTxn, TxnOffsetCommit and others dropped, or the request late',
  nodes: 1,
  variants: 2 * steps.length,
  countsFaults: true,
  guards: ['retire-writer'],
  run: (context) => run(context, stepFault),
};

function usualFaults({ unsafe, short }: TrialContext, { kind }: RequestFault): number {
  // Nothing announces that the answer will not come: a request waits a second longer than its transaction may last.
  if (kind === 'silence') return SILENCES_PER_TRIAL;
  if (unsafe !== undefined) return FAULTS_UNSAFE;
  return short ? FAULTS_OF_SAMPLE : FAULTS_PER_TRIAL;
}

async function run(context: TrialContext, faultOf: (context: TrialContext) => RequestFault): Promise<TrialResult> {
  const proxy = await KafkaProxy.open(context.broker.bootstrap);
  try {
    const kafka = { sessionTimeoutMs: 2_000, heartbeatIntervalMs: 200, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS };
    const trial = await Trial.begin(context, { processorBrokers: proxy.bootstrap, kafka });
    const kind = faultOf(context);
    const faults = context.faults ?? usualFaults(context, kind);
    trial.variant = `${faults} × ${kind.api}: ${words[kind.kind]}`;
    trial.load();
    const processor = await trial.started();
    // Without a guard only commits with closes go wrong; with it, faults are useful from the first commit on.
    if (context.unsafe !== undefined) await trial.firstClose();
    const codes = new Map<number, number>();
    for (let count = 0; count < faults; count += 1) {
      trial.armed += 1;
      // A writer is opened only where its predecessor has failed.
      if (kind.api === 'InitProducerId') void proxy.fault({ api: 'EndTxn', kind: 'answerDropped' }, FAULT_WITHIN_MS);
      const code = await proxy.fault(faultOf(context), FAULT_WITHIN_MS);
      if (code !== undefined) trial.hit();
      if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1);
      await sleep(BETWEEN_MS);
    }
    if (kind.api === 'EndTxn')
      trial.facts['endTxnAnswers'] = [...codes].map(([code, times]) => `${times} × code ${code}`).join(' and ');
    trial.facts['unknownOutcomesSettled'] = processor.said(/outcome is looked up/).length;
    const result = await trial.conclude([processor]);
    if (proxy.failure !== undefined) throw proxy.failure;
    return result;
  } finally {
    proxy.close();
  }
}
