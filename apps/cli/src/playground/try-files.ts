// The files that `flatline try` writes. Pure.
import type { DurationMs } from '@flatline/base';

export interface TryTopics {
  readonly application: string;
  readonly input: string;
  readonly output: string;
}

/** On a broker that others use, or that had one before, names that are new. */
export function tryTopics(isNewBroker: boolean, startedAt: number): TryTopics {
  const application = isNewBroker ? 'try' : `try-${startedAt.toString(36)}`;
  return { application, input: `${application}-events`, output: `${application}-sessions` };
}

export interface TrySettings extends TryTopics {
  readonly brokers: readonly string[];
  readonly stateDir: string;
  readonly httpPort: number;
  readonly timeoutMs: DurationMs;
}

/** The content of the configuration's file. */
export function trySettings({ application, input, output, ...settings }: TrySettings): object {
  const { brokers, stateDir, httpPort, timeoutMs } = settings;
  const pipeline = { name: 'visits', kind: 'session', timeoutMs, input: { topic: input }, output: { topic: output } };
  return { application, brokers, stateDir, http: { port: httpPort }, pipelines: [pipeline] };
}

/** A program that is a session for a while. */
export function visitorProgram({ brokers, input, timeoutMs }: TrySettings, typed: string): string {
  return `// A visitor who stays for ten seconds and leaves without a word: node ${typed} anna
import { connect } from '@flatline/client';
import { setTimeout } from 'node:timers/promises';

const flatline = connect({ brokers: ${JSON.stringify(brokers)} });
const visitors = await flatline.sessions({ topic: '${input}', timeoutMs: ${timeoutMs} });
const visitor = visitors.session(process.argv[2] ?? 'anna');
visitor.start(); // beats by itself from now on
visitor.event({ type: 'VIEW', attributes: { page: '/cart' } });
await setTimeout(10_000);
visitor.leave(); // falls silent: the session closes ${timeoutMs / 1000} s after its last beat
await flatline.close();
`;
}

export interface NextSteps {
  readonly config: string;
  readonly visitor: string;
  readonly broker: string;
  readonly input: string;
  readonly hasKcat: boolean;
  /** Where `@flatline/client` is not to be found, what to do first. */
  readonly hasClient: boolean;
}

/** Commands to type beside a running \`flatline try\`, each with its effect. */
export function nextSteps({ config, visitor, broker, input, hasKcat, hasClient }: NextSteps): {
  readonly does: string;
  readonly command: string;
}[] {
  const beat = hasKcat
    ? `echo 'anna:' | kcat -P -b ${broker} -t ${input} -K: -X topic.partitioner=murmur2_random`
    : `flatline simulate --topic ${input} --sessions 5 --rate 5 --config ${config}`;
  return [
    { does: 'see sessions close', command: `flatline sessions tail --config ${config}` },
    { does: hasKcat ? 'be a session, with one heartbeat' : 'send more sessions', command: beat },
    {
      does: `be a session, from a program to change${hasClient ? '' : ' (it needs @flatline/client)'}`,
      command: `node ${visitor} anna`,
    },
  ];
}
