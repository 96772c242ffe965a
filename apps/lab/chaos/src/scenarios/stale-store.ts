// F9: a stale local store: an old copy, another log's, or that of a log since recreated.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { readOutputs } from '../stage/topic-records.ts';
import { deleteTopics } from '../stage/topic-administration.ts';
import { refusedResult, refuses } from './refusal.ts';
import { topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../trial/trial.ts';

const PHASE_MS = 3_000;

export const staleStore: Scenario = {
  id: 'F9',
  title: 'a stale local store: an old copy, of another application, of a log since recreated',
  nodes: 1,
  variants: 3,
  run: (context) => {
    const variants = [oldCopy, anotherLog, newLog];
    return variants[context.index % variants.length]!(context);
  },
};

/** Rolled forward from its checkpoint. */
async function oldCopy(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  trial.variant = 'an old copy comes back';
  trial.load();
  const kept = `${trial.application.folder}/kept`;
  await lifeWithFlush(trial);
  cpSync(trial.application.stateDir('a'), kept, { recursive: true });
  const then = await changelogEnd(trial.application);
  const second = await trial.started();
  await sleep(PHASE_MS);
  await second.kill9();
  replace(kept, trial.application.stateDir('a'));
  trial.armed = 1;
  if ((await changelogEnd(trial.application)) > then) trial.hit();
  const third = await trial.started();
  await sleep(PHASE_MS);
  return trial.conclude([third]);
}

/** Its log id differs: noticed, counted, dropped, rebuilt. */
async function anotherLog(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  trial.variant = "another application's store";
  trial.load();
  await lifeWithFlush(trial);
  const other = new Application({ ...trial.application.options, name: `${context.name}-other` });
  await other.createTopics();
  const fleet = other.fleet({
    ratePerSecond: 300,
    heartbeatMs: 200,
    beats: 6,
    sessions: 1_000_000,
    seed: context.seed,
  });
  const owner = other.processor('a');
  await owner.line(/task runs/);
  // Shorter than the log it is put beside: a store ahead of its log is another case.
  await sleep(PHASE_MS / 3);
  await Promise.all([fleet.terminate(), owner.terminate()]);
  replace(join(other.stateDir('a'), other.group), join(trial.application.stateDir('a'), trial.application.group));
  trial.armed = trial.application.partitions;
  const processor = await trial.started();
  await sleep(PHASE_MS);
  processor.said(/local store dropped/).forEach(() => {
    trial.hit();
  });
  return trial.conclude([processor]);
}

/** Its log is gone: nothing may be reset silently, so every partition stops and reports it (R3). */
async function newLog(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  trial.variant = 'the changelog was deleted and recreated';
  const { application } = trial;
  trial.load();
  await lifeWithFlush(trial);
  await trial.endLoad();
  const before = await readOutputs(application);
  await deleteTopics(application.kafka, [application.changelog]);
  await application.recreate(application.changelog);
  const processor = trial.processor();
  trial.armed = 1;
  if (
    (await refuses(processor, application.partitions)) &&
    processor.lines.some((line) => line.includes(application.changelog))
  )
    trial.hit();
  if (processor.said(/task runs/).length > 0)
    trial.violations.push({ rule: 'R3', subject: application.changelog, detail: 'a task runs on a recreated log' });
  const ending = await processor.terminate();
  trial.facts['exitCode'] = ending.code ?? String(ending.signal);
  return refusedResult(trial, before.length, 'outputs came from a recreated state');
}

/** Ends with a clean shutdown, so that the store is flushed. */
async function lifeWithFlush(trial: Trial): Promise<void> {
  const processor = await trial.started();
  await sleep(PHASE_MS);
  const { code } = await processor.terminate();
  if (code !== 0) throw new Error(`a clean shutdown ended with ${code}`);
}

async function changelogEnd({ kafka, changelog, partitions }: Application): Promise<number> {
  return (await topicEnds(kafka, changelog, partitions)).reduce((sum, { end }) => sum + end, 0);
}

function replace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}
