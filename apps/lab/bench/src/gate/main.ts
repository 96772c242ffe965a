// The throughput benchmark, small, as a part of `npm run gate`: node --conditions=@flatline/source apps/lab/bench/src/gate/main.ts
import { join } from 'node:path';
import { workspaceOf } from '@flatline/dev-broker';
import { onBenchCluster } from '../bench-cluster.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import type { ContenderCost } from '../tasks/contender-task.ts';
import { type Contender, ownContender } from '../throughput/contenders.ts';
import { loadedTopic, takeTurn, THROUGHPUT_DEFAULTS, type TurnSurroundings } from '../throughput/throughput.ts';
import { GATED_FORMATS, type GatedFormat, type GateVerdict, gateVerdict } from './verdict.ts';

/**
 * One task, so that its commits soon reach their lasting size. The interval is longer than the default, so that a busy machine,
 * which passes fewer events between commits, pays less for it. A commit budget that does not grow shows most of the time, not
 * always; with 2 s, never.
 */
const SETTINGS = { ...THROUGHPUT_DEFAULTS, sessions: 50_000, partitions: 1, warmUpShare: 0.3, commitIntervalMs: 500 };
const EVENTS: Readonly<Record<GatedFormat, number>> = { bare: 4_000_000, json: 3_000_000 };
/** kafkajs is as fast at the end of the topic as at its beginning. */
const KAFKAJS_EVENTS = 1_500_000;
const TURNS = 3;
/** Taken if the first ones were too slow, and judged together with them. */
const MORE_TURNS = 4;

const contenders = { kafkajs: ownContender('kafkajs', 'reads'), flatline: ownContender('flatline', 'processes') };
const workDir = join(workspaceOf(import.meta.url).root, '.flatline', 'bench');
const onProgress = (what: string): void => {
  console.error(what);
};

const verdicts = await onBenchCluster({ onProgress }, async (cluster) => {
  const judged: GateVerdict[] = [];
  for (const format of GATED_FORMATS) {
    const settings = { ...SETTINGS, events: EVENTS[format] };
    judged.push(await judge(format, { ...cluster, workDir, onProgress, settings }));
  }
  return judged;
});
for (const { text } of verdicts) console.log(text);
process.exit(verdicts.every(({ passed }) => passed) ? 0 : 1);

async function judge(format: GatedFormat, run: TurnSurroundings): Promise<GateVerdict> {
  const { settings, brokers } = run;
  const topic = await loadedTopic(format, run);
  const costs = { kafkajs: [] as ContenderCost[], flatline: [] as ContenderCost[] };
  const turn = (contender: Contender, events: number): Promise<ContenderCost> =>
    takeTurn(contender, { topic, format }, { ...run, settings: { ...settings, events } });
  const take = async (turns: number): Promise<GateVerdict> => {
    for (let count = 0; count < turns; count += 1) {
      costs.kafkajs.push(await turn(contenders.kafkajs, KAFKAJS_EVENTS));
      costs.flatline.push(await turn(contenders.flatline, settings.events));
    }
    return gateVerdict(format, costs);
  };
  const first = await take(TURNS);
  if (!first.passed) onProgress(first.text);
  const verdict = first.passed ? first : await take(MORE_TURNS);
  await removeTopics(brokers, topic, onProgress);
  return verdict;
}
