// The output topic of a pipeline as those who follow it need it: its identity, its ends, a reader.
//
// Owns: connections to the brokers, until it is closed.
// Does not own: what is read (PipelinePush), when it is looked at again (Pushes).
import { type Clock, Retriable } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { KafkaLogAdmin, KafkaLogReader, type KafkaOptions, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import type { CursorTopic } from './cursor.ts';
import type { PipelinePushParts } from './pipeline-push.ts';

export interface OutputTopic extends Pick<PipelinePushParts, 'reader' | 'ends'> {
  /** As it is now. @throws Retriable, Fatal where it cannot be looked at, or has other partitions than its input */
  describe(): Promise<CursorTopic>;
  close(): Promise<void>;
}

/** One answer is handed on in a turn of the event loop, which is others' too. */
const READING = {
  partitionFetchBytes: 128 * 1024,
  fetchBytes: 1024 * 1024,
  partitionBufferBytes: 256 * 1024,
  readerBufferBytes: 4 * 1024 * 1024,
};

export function openOutputTopic(kafka: KafkaOptions, clock: Clock, { input, output }: PipelineConfig): OutputTopic {
  const connection = openCluster(kafka);
  const topics = new KafkaTopicAdmin({ clock, connection });
  const admin = new KafkaLogAdmin({ clock, connection });
  const reader = new KafkaLogReader({ ...kafka, passesUnreadable: true }, READING);
  return {
    reader,
    describe: async () => {
      const [found, source] = await topics.describeTopics([output.topic, input.topic]);
      if (found?.kind !== 'present') throw new Retriable(`topic ${output.topic} cannot be looked at`);
      if (source?.kind !== 'present') throw new Retriable(`topic ${input.topic} cannot be looked at`);
      const { topicId, partitions } = found;
      // A key would be looked for in a partition where no output of it comes.
      if (partitions !== source.partitions)
        throw new Retriable(
          `topic ${output.topic} has ${partitions} partitions, its input ${input.topic} ${source.partitions}: nothing can be followed until both have as many`,
        );
      return { topicId, partitions };
    },
    ends: (partition) => admin.ends({ topic: output.topic, partition }),
    close: async () => {
      await reader.close();
      connection.close();
    },
  };
}
