// Does one work in this process and sends its result to the parent: `fork(this, [work, its arguments as JSON])`. Loads only the
// modules that the work needs.
import type { Reader, ReadingCost, ReadingTask } from './reader/reading.ts';
import type { BeatTask } from './sending-beats.ts';
import type { RelayCost, RelayTask } from './deliveries/relay-task.ts';
import type { BarePostsTask, PostsCost } from './deliveries/posts-task.ts';
import type { ServiceCost, ServiceTask, SessionsCost } from './tasks/service-task.ts';
import type { ContenderCost, ContenderTask } from './tasks/contender-task.ts';
import type { OwnContender } from './tasks/contender-task.ts';
import type { Yardstick } from './yardstick.ts';

const works = {
  process: async (name: OwnContender, task: ContenderTask): Promise<ContenderCost> =>
    name === 'flatline'
      ? (await import('./processor/watching.ts')).processWithFlatline(task)
      : (await import('./reader/readers.ts')).readAsContender(name, task),
  read: async (reader: Reader, task: ReadingTask): Promise<ReadingCost> =>
    (await import('./reader/readers.ts')).readWith[reader](task),
  serve: async (name: 'flatline' | 'kafkajs', task: ServiceTask): Promise<ServiceCost> =>
    name === 'flatline'
      ? (await import('./service/flatline-service.ts')).serveWithFlatline(task)
      : (await import('./service/kafkajs-service.ts')).serveWithKafkajs(task),
  sessions: async (task: Pick<ServiceTask, 'brokers' | 'topic' | 'sessions'>): Promise<SessionsCost> =>
    (await import('./service/flatline-service.ts')).measureSessions(task),
  post: async (task: BarePostsTask): Promise<PostsCost> => (await import('./deliveries/bare-posts.ts')).postBare(task),
  relay: async (task: RelayTask): Promise<RelayCost> =>
    (await import('./deliveries/kafkajs-relay.ts')).relayWithKafkajs(task),
  yardstick: async (): Promise<Yardstick> => (await import('./yardstick.ts')).measureYardstick(),
  beats: async (task: BeatTask): Promise<number> => (await import('./sending-beats.ts')).sendBeats(task),
  occupy: async (): Promise<never> => (await import('./latency/occupation.ts')).occupyCore(),
};
export type Works = typeof works;

let isDone = false;
// The parent has the result, or is gone. kafkajs keeps timers, but everything has been measured.
process.once('disconnect', () => process.exit(isDone ? 0 : 1));
const [work, args] = process.argv.slice(2) as [keyof Works, string];
const result = await (works[work] as (...given: unknown[]) => Promise<unknown>)(...(JSON.parse(args) as unknown[]));
isDone = true;
process.send!(result);
