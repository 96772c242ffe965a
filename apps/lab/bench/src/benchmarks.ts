// All benchmarks, by name.
import { assembled } from './assembled/assembled.ts';
import type { Benchmark } from './benchmark.ts';
import { debounce } from './debounce/debounce.ts';
import { delays } from './delays/delays.ts';
import { deliveries } from './deliveries/deliveries.ts';
import { dispatcher } from './dispatcher/dispatcher.ts';
import { evict } from './evict/evict.ts';
import { failover } from './failover/failover.ts';
import { growth } from './growth/growth.ts';
import { hotkey } from './hotkey/hotkey.ts';
import { latency } from './latency/latency.ts';
import { leases } from './leases/leases.ts';
import { lookUps } from './lookups/look-ups.ts';
import { memory } from './memory/memory.ts';
import { paced } from './paced/paced.ts';
import { push } from './push/push.ts';
import { restore } from './restore/restore.ts';
import { scale } from './scale/scale.ts';
import { schedules } from './schedules/schedules.ts';
import { service } from './service/service.ts';
import { storm } from './storm/storm.ts';
import { throughput } from './throughput/throughput.ts';
import { watched } from './watched/watched.ts';
import { workers } from './workers/workers.ts';
import { commits } from './writer/commits.ts';

/** The first is the default. */
export const BENCHMARKS: readonly Benchmark[] = [
  throughput,
  paced,
  commits,
  failover,
  restore,
  latency,
  storm,
  scale,
  workers,
  memory,
  growth,
  schedules,
  delays,
  debounce,
  leases,
  hotkey,
  service,
  evict,
  assembled,
  lookUps,
  push,
  dispatcher,
  deliveries,
  watched,
];
