// Compares the topics a configuration needs with those that are there, and says what is to be done. Pure.
//
// Invariants
//   TP1  Whoever does what a remedy says loses nothing: no state, no record. None names the deletion of a topic.
import { counted } from '@flatline/base';
import { type ApplicationState, stateText } from './application-state.ts';
import type { Deviation } from './deviation.ts';
import type { ExistingTopic } from './existing-topic.ts';
import { lossless, type TopicChange } from './topic-change.ts';
import { routedDeviations } from './routed-topics.ts';
import { readersText, type TopicReaders } from './topic-readers.ts';
import {
  ANOTHER_NAME,
  type ForeignDeliveries,
  foreignText,
  type PipelineTopics,
  requirementsOf,
  type TopicRequirement,
} from '@flatline/processor';

export interface NewTopic {
  readonly topic: string;
  readonly role: TopicRequirement['role'];
  readonly partitions: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface TopicPlan {
  /** To be created; with deviations, nothing is to be created before they are mended. */
  readonly missing: readonly NewTopic[];
  readonly deviations: readonly Deviation[];
  /** A processor runs on these, and may lose records all the same. */
  readonly risks: readonly Deviation[];
  /** Topics of others to which routes lead and cannot (P3): a processor does not run, and no command here mends it. */
  readonly unreached: readonly Deviation[];
  /** Changes that `flatline topics alter` makes. */
  readonly changes: readonly TopicChange[];
}

export interface Findings {
  readonly existing: ReadonlyMap<string, ExistingTopic>;
  /** For inputs that do not exist; one that exists decides by itself, and `asked` then has to agree. */
  readonly partitions: { readonly asked: number | undefined; readonly fallback: number };
  /** By changelog. Absent: not looked at. */
  readonly states: ReadonlyMap<string, ApplicationState>;
  /** Other groups, of inputs whose timestamp type is not the configured one. Absent: not looked for. */
  readonly readers: TopicReaders;
  /** Outputs with records, of pipelines that have never written any. */
  readonly foreignOutputs: ReadonlySet<string>;
  /** Topics of deliveries that are another application's. */
  readonly foreignDeliveries: readonly ForeignDeliveries[];
  /** Flags of the commands that remedies name, as the user gave them here: ` --config shop.config.json`. */
  readonly flags: string;
}

export function planTopics(pipelines: readonly PipelineTopics[], findings: Findings): TopicPlan {
  const plans = pipelines.map((topics) => planPipeline(topics, findings));
  const missing = new Map(plans.flatMap((plan) => plan.missing).map((topic) => [topic.topic, topic]));
  return {
    missing: [...missing.values()],
    deviations: plans.flatMap((plan) => plan.deviations),
    risks: plans.flatMap((plan) => plan.risks),
    unreached: routedDeviations(pipelines, findings.existing),
    changes: plans.flatMap((plan) => plan.changes),
  };
}

type PipelinePlan = Omit<TopicPlan, 'unreached'>;

function planPipeline(topics: PipelineTopics, findings: Findings): PipelinePlan {
  const { existing, partitions: wanted } = findings;
  const input = existing.get(topics.input);
  const state = findings.states.get(topics.changelog) ?? { kind: 'none' };
  const followed = existing.get(topics.follows ?? '');
  const asked = followed?.partitions ?? wanted.asked;
  const partitions = input?.partitions ?? asked ?? partitionsThere(topics, existing) ?? wanted.fallback;
  const inputMessageBytes = Number(input?.settings.get('max.message.bytes') ?? Number.NaN);
  const requirements = requirementsOf(topics, Number.isNaN(inputMessageBytes) ? undefined : inputMessageBytes);
  const ofState = [lostInput(topics, input, state), lostState(topics, existing, state)].flatMap((each) => each ?? []);
  const told = new Set(ofState.map(({ topic }) => topic));
  const parts = requirements
    // An existing changelog is compared all the same.
    .filter(({ topic }) => !told.has(topic) || (topic === topics.changelog && existing.has(topic)))
    .map((requirement) => compare(requirement, { topics, findings, state, partitions }));
  const deviations = [...ofState, ...parts.flatMap((part) => part.deviations)];
  for (const each of findings.foreignDeliveries)
    if (each.topic === topics.input)
      deviations.unshift({ topic: each.topic, problem: foreignText(each), remedy: ANOTHER_NAME });
  if (input !== undefined && wanted.asked !== undefined && wanted.asked !== input.partitions)
    deviations.unshift(otherPartitions(input, wanted.asked));
  return {
    deviations,
    missing: parts.flatMap((part) => part.missing),
    risks: [...parts.flatMap((part) => part.risks), ...foreignOutput(topics, findings, state)],
    changes: parts.flatMap((part) => part.changes),
  };
}

/** Incarnations are numbered by the input's offsets: those of two applications are the same (O3). */
function foreignOutput(
  { output, changelog }: PipelineTopics,
  findings: Findings,
  state: ApplicationState,
): Deviation[] {
  if (state.kind !== 'none' || !findings.foreignOutputs.has(output)) return [];
  const problem =
    `holds records, and ${changelog} has never held any: another application wrote them, or this one before that ` +
    'changelog was lost. What is closed now may have the incarnation of what was closed before';
  const remedy = 'use another output.topic; or keep it, where its readers can tell them apart';
  return [{ topic: output, problem, remedy }];
}

/** An input that is created again follows the others: their partitions can never become fewer. */
function partitionsThere(topics: PipelineTopics, existing: Findings['existing']): number | undefined {
  const counts = [topics.output, topics.changelog, topics.deadLetters].flatMap(
    (topic) => existing.get(topic)?.partitions ?? [],
  );
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** With the old output every session would be closed there twice. */
const ANOTHER =
  'use another application name and another output.topic; what there is stays as it is. It begins where startFrom says: ' +
  'what the input holds from there on is closed once more, into the new output, and sessions live now are cut, and counted afresh';

/** The state is gone already. */
const GIVE_UP = 'flatline reset, with every processor stopped. The same is closed once more then, into the same output';

/** An input that is not the one the state was made of: grown, shrunk, gone, or made again. */
function lostInput(
  topics: PipelineTopics,
  input: ExistingTopic | undefined,
  state: ApplicationState,
): Deviation | undefined {
  if (state.kind === 'none') return undefined;
  const { input: topic, changelog } = topics;
  const held = stateText(state, changelog);
  const remedy = `restore the topic; or ${ANOTHER}`;
  if (input === undefined) return { topic, problem: `does not exist, and ${held}`, remedy };
  if (state.kind !== 'held') return undefined;
  if (state.partitions !== input.partitions) {
    const problem = `has ${counted(input.partitions, 'partition')}, and ${held}: its keys have moved`;
    return { topic, problem, remedy: grownRemedy(topics, state) };
  }
  if (state.otherLog === undefined) return undefined;
  return { topic, problem: `is not the log that was read (${state.otherLog}), and ${held}`, remedy };
}

/** Where nothing lives no key is cut in two: positions alone would be lost, and the log's time stands for them. */
function grownRemedy(
  { timestampType }: PipelineTopics,
  { liveEntries, clock, timestampTypes }: Extract<ApplicationState, { kind: 'held' }>,
): string {
  if (liveEntries > 0 || timestampType === 'CreateTime') return ANOTHER;
  if (timestampTypes.next.length > 0)
    return `nothing lives, but not all is read: let the processors read what is there, on as many partitions as before; or ${ANOTHER}`;
  const begin = `set startFrom to { "timestamp": "${new Date(clock + 1).toISOString()}" }, just behind what was read`;
  const regained = 'nothing lives: stop every processor, flatline reset, then flatline topics alter --apply';
  return `${regained}${clock === 0 ? '' : `, and ${begin}`}; for leases raise tokenEpoch, too; or restore the topic`;
}

/** A changelog that has, or may have, lost what was in it: a new one would take its place (R3). */
function lostState(
  { changelog: topic, group }: PipelineTopics,
  existing: Findings['existing'],
  state: ApplicationState,
): Deviation | undefined {
  const isThere = existing.has(topic);
  if (state.kind === 'lost') {
    const problem = `${isThere ? 'is empty or partly so' : 'does not exist'}, and ${stateText(state, topic)}`;
    return {
      topic,
      problem,
      remedy: `restore it from a replica or a backup; or ${ANOTHER}; or give it up under this name: ${GIVE_UP}`,
    };
  }
  if (state.kind !== 'unknown') return undefined;
  return {
    topic,
    problem: `${isThere ? 'cannot be read' : 'does not exist'}, and whether live keys are lost is not known: ${state.why}`,
    remedy: `allow this user READ on it and on group ${group}, or mend what is named; then check again`,
  };
}

interface Comparison {
  readonly topics: PipelineTopics;
  readonly findings: Findings;
  readonly state: ApplicationState;
  readonly partitions: number;
}

function compare(requirement: TopicRequirement, comparison: Comparison): PipelinePlan {
  const { topic, role, settings } = requirement;
  const { findings, partitions } = comparison;
  const found = findings.existing.get(topic);
  if (found === undefined) {
    const asked = settings.filter(({ leftToBroker }) => leftToBroker !== true);
    const created = new Map(asked.map(({ name, value }) => [name, value]));
    return { missing: [{ topic, role, partitions, settings: created }], deviations: [], risks: [], changes: [] };
  }
  const isFirst = topic === comparison.topics.input;
  const partitioned = isFirst ? undefined : partitionDeviation(found, requirement, comparison);
  const wrong = wrongSettings(requirement, found, comparison);
  return {
    missing: [],
    deviations: [...(partitioned?.deviations ?? []), ...wrong.deviations],
    risks: wrong.risks,
    changes: [...(partitioned?.changes ?? []), ...wrong.changes],
  };
}

function otherPartitions(input: ExistingTopic, asked: number): Deviation {
  return {
    topic: input.topic,
    problem: `has ${counted(input.partitions, 'partition')}, --partitions says ${asked}`,
    remedy: `leave --partitions out: the other topics follow the input`,
  };
}

/** S8 */
const COPIED =
  'copy one of them to a topic with as many partitions as the other, by the same partitioner, and name that one';

function apart(found: number, first: string, partitions: number): string {
  return `has ${counted(found, 'partition')}, ${first}, which is read with it as one, has ${partitions}`;
}

type Compared = Pick<TopicPlan, 'deviations' | 'changes'>;
const AS_IT_IS: Compared = { deviations: [], changes: [] };

/** Partitions can be added, and never be taken away. */
function partitionDeviation(
  { topic, partitions: found }: ExistingTopic,
  { role }: TopicRequirement,
  { topics, findings, state, partitions }: Comparison,
): Compared {
  if (found === partitions || !findings.existing.has(topics.input)) return AS_IT_IS;
  if (role === 'input')
    return { deviations: [{ topic, problem: apart(found, topics.input, partitions), remedy: COPIED }], changes: [] };
  const isOther = state.kind === 'held' && state.partitions !== partitions;
  const problem = `has ${counted(found, 'partition')}, its input ${topics.input} has ${partitions}`;
  // It is the input that has changed, which is reported already.
  if (isOther && (found === state.partitions || role !== 'changelog')) return AS_IT_IS;
  if (found < partitions && !(role === 'changelog' && state.kind !== 'none'))
    return {
      deviations: [{ topic, problem, remedy: alterCommand(findings) }],
      changes: [{ kind: 'partitions', topic, from: found, to: partitions }],
    };
  const use = {
    input: '',
    output: 'use another output.topic',
    target: 'use another topic in targets',
    deadLetters: 'use another deadLetterTopic',
    changelog: state.kind === 'none' ? 'use another application name' : ANOTHER,
  }[role];
  const held =
    state.kind === 'none' || role !== 'changelog' ? '' : `; ${stateText(state, topic)}, which stay as they are`;
  return { deviations: [{ topic, problem, remedy: `${use}${held}` }], changes: [] };
}

function wrongSettings(
  { topic, role, settings }: TopicRequirement,
  found: ExistingTopic,
  { findings, state, topics }: Comparison,
): Pick<TopicPlan, 'deviations' | 'risks' | 'changes'> {
  const deviations: Deviation[] = [];
  const risks: Deviation[] = [];
  const changes: TopicChange[] = [];
  for (const { name, value, accepts, isRisk = false, reason } of settings) {
    const actual = found.settings.get(name);
    if (actual !== undefined && accepts(actual)) continue;
    if (name === 'message.timestamp.type' && role === 'input') {
      const type = typeDeviation(actual, { topics: { ...topics, input: topic }, findings, state });
      (type.isRisk ? risks : deviations).push(type.deviation);
      if (!type.isAltered) continue;
    } else {
      const problem = `${name} is ${actual ?? 'not known'}, wanted ${value}: otherwise ${reason}`;
      (isRisk ? risks : deviations).push({ topic, problem, remedy: alterCommand(findings) });
    }
    changes.push({ kind: 'settings', topic, settings: lossless({ name, value }, found.settings) });
  }
  return { deviations, risks, changes };
}

interface TypeDeviation {
  readonly deviation: Deviation;
  readonly isRisk: boolean;
  readonly isAltered: boolean;
}

/**
 * The configuration follows the records that come next, else those that were read; or every partition would stop (C6). Where
 * they are as it says, and the topic has been altered since, they are read up to there.
 */
function typeDeviation(
  actual: string | undefined,
  { topics, findings, state }: Pick<Comparison, 'topics' | 'findings' | 'state'>,
): TypeDeviation {
  const { input: topic, timestampType: wanted } = topics;
  const problem = `message.timestamp.type is ${actual ?? 'not known'}, but input.timestampType says ${wanted}`;
  const deviated = (remedy: string, isRisk = false): TypeDeviation => ({
    deviation: { topic, problem, remedy },
    isRisk,
    isAltered: false,
  });
  const set = `set input.timestampType to "${actual}"`;
  if (state.kind === 'held') {
    const { before, next } = state.timestampTypes;
    if (next.includes(wanted))
      return deviated(
        `flatline run${findings.flags}: records of type ${wanted} come next. Each partition commits what lies before the ` +
          `change to ${actual} and stops there; once all have, ${set}`,
        true,
      );
    const as = next.length > 0 ? next : before;
    if (as.some((type) => type === actual))
      return deviated(
        `${set}, as ${next.length > 0 ? 'the next records are' : 'it was'}: ${stateText(state, topics.changelog)}`,
      );
  }
  const others = readersText(topic, findings.readers);
  const unread =
    `if no other application reads the topic${others === undefined ? '' : ` (${others})`}, since one that ` +
    `expects ${actual} may stop or go wrong at the change`;
  // Whoever asked for the brokers' clock is not led to the weaker one first.
  const remedy =
    wanted === 'LogAppendTime'
      ? `${unread}: ${alterCommand(findings)}; or ${set}: time is then what the producers say it is`
      : `${set}; or, ${unread}: ${alterCommand(findings)}`;
  return { ...deviated(remedy), isAltered: true };
}

const ALTER = 'flatline topics alter';

function alterCommand({ flags }: Findings): string {
  return `${ALTER} --apply${flags}`;
}

/** True if `flatline topics alter` does what the remedy says. */
export function isAlterable({ remedy }: Deviation): boolean {
  return remedy.includes(ALTER);
}

export function missingDeviation({ topic }: NewTopic, flags: string): Deviation {
  return { topic, problem: 'does not exist', remedy: `flatline topics create${flags}` };
}

export function deviationText({ topic, problem, remedy }: Deviation): string {
  return `${topic}: ${problem}\n    remedy: ${remedy}`;
}
