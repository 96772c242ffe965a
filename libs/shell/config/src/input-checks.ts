// Checks of the inputs of a pipeline: what several can be, and how they go with each other (S8).
import { CHANGELOG_FORMAT_WITH_INPUTS, INPUTS_MAX } from '@flatline/base';
import { kindOf, type PipelineSection } from '@flatline/kind-modules';
import { type CrossFinding, finding } from './cross-finding.ts';

type Input = Exclude<PipelineSection['input'], readonly unknown[]>;

export function inputChecks(pipeline: PipelineSection, at: string): CrossFinding[] {
  const inputs = [pipeline.input].flat();
  if (inputs.length === 1) return ofOne(inputs[0]!, Array.isArray(pipeline.input) ? `${at}.input[0]` : `${at}.input`);
  const found = [...togetherWithOthers(pipeline, inputs, at), ...ofTopics(inputs, at)];
  inputs.forEach((input, i) => {
    found.push(...ofEach(input, `${at}.input[${i}]`));
  });
  if (inputs.some(({ touches }) => touches)) return found;
  const problem =
    'no input is activity, so no session would live: leave touches out, or set it to true, of one at least';
  return [...found, finding(`${at}.input`, counts(inputs), problem)];
}

/** Refuses settings of one input among others where there is only one. */
function ofOne({ touches, unknownKey, holdMs }: Input, at: string): CrossFinding[] {
  const needs = 'needs another input, whose records are activity (rule S8); leave it out';
  return [
    ...(touches ? [] : [finding(`${at}.touches`, touches, needs)]),
    ...(unknownKey === 'open' ? [] : [finding(`${at}.unknownKey`, unknownKey, needs)]),
    ...(holdMs === undefined ? [] : [finding(`${at}.holdMs`, holdMs, needs)]),
  ];
}

function ofEach({ touches, unknownKey, holdMs }: Input, at: string): CrossFinding[] {
  if (unknownKey === 'hold' && touches)
    return [
      finding(
        `${at}.unknownKey`,
        unknownKey,
        'only where touches is false: activity opens a session, or is refused with "deadLetter" (rule S8)',
        [`${at}.touches`],
      ),
    ];
  if (holdMs === undefined || unknownKey === 'hold') return [];
  return [finding(`${at}.holdMs`, holdMs, 'says nothing unless unknownKey is "hold" (rule S8)', [`${at}.unknownKey`])];
}

function ofTopics(inputs: readonly Input[], at: string): CrossFinding[] {
  return inputs.flatMap(({ topic }, i) => {
    const first = inputs.findIndex((other) => other.topic === topic);
    if (first === i) return [];
    const problem = `another topic: input[${first}] has it, and each record would count twice`;
    return [finding(`${at}.input[${i}].topic`, topic, problem, [`${at}.input[${first}].topic`])];
  });
}

/** Settings that do not go with several inputs. */
function togetherWithOthers(pipeline: PipelineSection, inputs: readonly Input[], at: string): CrossFinding[] {
  const { kind, proof, changelogFormat } = pipeline;
  const several = counts(inputs);
  const found: CrossFinding[] = [];
  const refuse = (problem: string, ...involved: readonly string[]): void => {
    found.push(
      finding(
        `${at}.input`,
        several,
        problem,
        involved.map((each) => `${at}.${each}`),
      ),
    );
  };
  if (!kindOf(pipeline).obeys.severalInputs) {
    refuse(`one input: several are read by sessions alone, and this pipeline is of kind "${kind}"`, 'kind');
    return found;
  }
  if (inputs.length > INPUTS_MAX) refuse(`at most ${INPUTS_MAX} inputs: with each record all of them are looked at`);
  if (new Set(inputs.map(({ timestampType }) => timestampType)).size > 1)
    refuse(
      'one timestampType for all: the clock of a broker may be further ahead than a stamp of a producer may lead (rule C6), and ' +
        'its records would wait for those',
    );
  if (proof === 'fetch')
    refuse('one input where proof is "fetch": the end of one log proves nothing of another (rule C3)', 'proof');
  if (changelogFormat < CHANGELOG_FORMAT_WITH_INPUTS)
    refuse(
      `one input where changelogFormat is ${changelogFormat}: ${CHANGELOG_FORMAT_WITH_INPUTS} is the first with several`,
      'changelogFormat',
    );
  return found;
}

function counts(inputs: readonly Input[]): string {
  return `${inputs.length} inputs`;
}
