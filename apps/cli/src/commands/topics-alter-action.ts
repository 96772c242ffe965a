import { clusterOf, connect } from '../cluster.ts';
import { type ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import type { ExistingTopic } from '../topics/existing-topic.ts';
import { existingTopic } from '../topics/pipeline-topics.ts';
import { applyChanges } from '../topics/provision.ts';
import { requireTopic } from '../topics/require-topic.ts';
import { changeText, merged, type TopicChange, whyNot } from '../topics/topic-change.ts';
import { readersWarnings } from '../topics/topic-readers.ts';
import type { Deviation } from '../topics/deviation.ts';
import { deviationText, isAlterable, missingDeviation } from '../topics/topic-plan.ts';
import { inspect } from './topics-inspection.ts';

export interface AlterFlags extends ConfigurationFlags {
  readonly topic?: string;
  readonly set?: ReadonlyMap<string, string>;
  readonly apply?: boolean;
  readonly json?: boolean;
}

export async function runAlter(flags: AlterFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { topic, set } = flags;
  if ((topic === undefined) !== (set === undefined))
    throw usageFailure('--topic and --set go together; without them the topics of the configuration are altered');
  return topic !== undefined && set !== undefined
    ? alterTopic(topic, set, { flags, console, shell })
    : alterConfigured(flags, console, shell);
}

interface Running {
  readonly flags: AlterFlags;
  readonly console: Console;
  readonly shell: Shell;
}

async function alterTopic(topic: string, set: ReadonlyMap<string, string>, command: Running): Promise<ExitCode> {
  const { flags, console, shell } = command;
  const { kafka } = await clusterOf(shell, flags, ['kafka']);
  const connection = await connect(kafka, shell.stop);
  try {
    const found = existingTopic(await requireTopic(connection, shell.clock, topic));
    const refused = [...set].flatMap(([name, value]) => {
      const why = whyNot(name, value, found.settings);
      return why === undefined ? [] : [`${topic}: ${name}=${value}: ${why}`];
    });
    if (refused.length > 0) throw usageFailure(`nothing was altered:\n${refused.join('\n')}`);
    const settings = new Map([...set].filter(([name, value]) => found.settings.get(name) !== value));
    const changes: TopicChange[] = settings.size === 0 ? [] : [{ kind: 'settings', topic, settings }];
    if (flags.apply === true) await applyChanges(changes, { clock: shell.clock, connection });
    show(changes, new Map([[topic, found]]), { flags, console, left: [] });
    return ExitCode.ok;
  } finally {
    connection.close();
  }
}

async function alterConfigured(flags: AlterFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { plan, existing, readers, options, close } = await inspect(flags, shell);
  try {
    const changes = merged(plan.changes);
    for (const warning of readersWarnings(changes, readers)) console.note(`warning: ${warning}`);
    if (flags.apply === true) await applyChanges(changes, options);
    const missing = plan.missing.map((topic) => missingDeviation(topic, options.flags));
    const left = [...missing, ...plan.deviations, ...plan.unreached, ...plan.risks].filter(
      (deviation) => !isAlterable(deviation),
    );
    show(changes, existing, { flags, console, left });
    if (left.length > 0) console.note(`To be mended otherwise:\n${left.map(deviationText).join('\n')}`);
    return changes.length === 0 && left.length > 0 ? ExitCode.failedCheck : ExitCode.ok;
  } finally {
    close();
  }
}

function show(
  changes: readonly TopicChange[],
  existing: ReadonlyMap<string, ExistingTopic>,
  { flags, console, left }: Pick<Running, 'flags' | 'console'> & { readonly left: readonly Deviation[] },
): void {
  const lines = changes.map((change) => changeText(change, existing.get(change.topic)!.settings));
  const applied = flags.apply === true;
  const value = changes.map((change) =>
    change.kind === 'settings' ? { ...change, settings: Object.fromEntries(change.settings) } : change,
  );
  const none = left.length === 0 ? 'Nothing has to be altered.' : 'Nothing that alter can mend.';
  console.result({ applied, changes: value, left }, lines.length === 0 ? none : lines.join('\n'));
  if (lines.length > 0) console.note(applied ? 'Altered.' : 'Nothing was altered yet: add --apply.');
}
