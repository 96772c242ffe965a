// A worker's side of the channel to its supervisor: stops with it, and answers what it asks.
import { namedMessageOf } from '@flatline/base';
import type { RunningProcessor } from '@flatline/processor';
import { requestableStop, type Stop } from '../stop.ts';
import type { FromWorker, Question, ToWorker } from './worker-messages.ts';

/** The part of a processor that questions are about. */
type Served = Pick<RunningProcessor, 'view' | 'metrics' | 'restart' | 'lookUp' | 'act' | 'page'>;

export interface SupervisorLink {
  /** Requested by the supervisor, or by its death: a worker that went on would fence those of the next supervisor. */
  readonly stop: Stop;
  /** From here on questions are answered with what it says. */
  serve(processor: Served): void;
}

/** The part of a process that is needed; Node's `process` is one. */
export interface Channel {
  readonly connected: boolean;
  send?: ((message: FromWorker) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** undefined where no parent has opened a channel. */
export function supervisorLink(channel: Channel): SupervisorLink | undefined {
  if (channel.send === undefined) return undefined;
  const { stop, request } = requestableStop();
  let served: Served | undefined;
  channel.on('disconnect', request);
  if (!channel.connected) request();
  channel.on('message', (message) => {
    const told = message as ToWorker;
    if (told.kind === 'stop') request();
    else void answer(channel, told.id, answerTo(told.question, served));
  });
  return {
    stop,
    serve: (processor) => {
      served = processor;
    },
  };
}

async function answerTo(question: Question, served: Served | undefined): Promise<Omit<FromWorker, 'kind' | 'id'>> {
  if (served === undefined) return {};
  if (question.about === 'view') return { view: served.view() };
  if (question.about === 'metrics') return { metrics: await served.metrics() };
  if (question.about === 'entries') return { entries: await served.lookUp(question.asking) };
  if (question.about === 'act') return { acted: await served.act(question.asked) };
  if (question.about === 'page') return { page: await served.page(question.asking) };
  return { outcome: served.restart(question.pipeline, question.partition) };
}

async function answer(channel: Channel, id: number, found: ReturnType<typeof answerTo>): Promise<void> {
  // Who asks must not end the worker: what one key's entry throws concerns that key (I6).
  const told = await found.catch((error: unknown) => ({ failure: namedMessageOf(error) }));
  const message = { kind: 'answer' as const, id, ...told };
  // A supervisor that has gone asks nothing.
  if (channel.connected) channel.send?.(message);
}
