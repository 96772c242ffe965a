import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf, typedFlags } from '../configuration.ts';
import type { Shell } from '../shell.ts';
import { pipelineTopicsOf } from '@flatline/processor';
import { topicNamesOf } from '../topics/pipeline-topics.ts';
import { type Inspection, inspectTopics, type ProvisionOptions } from '../topics/provision.ts';

export interface TopicsFlags extends ConfigurationFlags {
  readonly partitions?: number;
  readonly replication?: number;
  readonly json?: boolean;
}

export interface OpenInspection extends Inspection {
  readonly names: readonly string[];
  readonly options: ProvisionOptions;
  readonly close: () => void;
}

/** The topics of the configuration as they are. @throws Retriable, Fatal; `close` otherwise closes the connection. */
export async function inspect(flags: TopicsFlags, shell: Shell): Promise<OpenInspection> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipelines = pipelineTopicsOf(config);
  const connection = await connect(kafkaOf(config, shell.clock), shell.stop);
  const close = (): void => {
    connection.close();
  };
  const { partitions, replication } = flags;
  const options = { clock: shell.clock, connection, partitions, replication, flags: typedFlags(flags) };
  try {
    return { ...(await inspectTopics(pipelines, options)), names: topicNamesOf(pipelines), options, close };
  } catch (error) {
    close();
    throw error;
  }
}
