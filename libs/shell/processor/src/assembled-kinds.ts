// Kinds over codecs that are open already: a processor opens them by a registry, a test pipeline has them at hand.
import type { DebouncePipeline, LeasePipeline, SchedulePipeline, SessionPipeline } from '@flatline/config';
import {
  debounceKind,
  type DebounceOptions,
  leaseKind,
  type LeaseOptions,
  type PipelineKind,
  scheduleKind,
  sessionKind,
  type SessionOptions,
} from '@flatline/kinds';
import { systemCalendar } from './calendar/system-calendar.ts';

type Codecs<Options extends SessionOptions | LeaseOptions> = Pick<Options, 'decoder' | 'encoder'>;

export function sessionsOf({ rules, output }: SessionPipeline, codecs: Codecs<SessionOptions>): PipelineKind {
  return sessionKind({ rules, ...codecs, tombstones: output.tombstones, outputTopic: output.topic });
}

export function leasesOf({ rules, output }: LeasePipeline, codecs: Codecs<LeaseOptions>): PipelineKind {
  return leaseKind({ rules, ...codecs, tombstones: output.tombstones, outputTopic: output.topic });
}

export function windowsOf({ rules, output }: DebouncePipeline, encoder: DebounceOptions['encoder']): PipelineKind {
  return debounceKind({ rules, encoder, outputTopic: output.topic });
}

export function schedulesOf({ rules }: SchedulePipeline): PipelineKind {
  return scheduleKind({ rules, calendar: systemCalendar() });
}
