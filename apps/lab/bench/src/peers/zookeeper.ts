// ZooKeeper's own session tracker as a contender of the wheel: the class a leader runs, touched and expired.
import type { Cost } from '../wheel/measurement.ts';
import type { JavaProgram, JvmSettings } from './java-program.ts';

export const ZOOKEEPER = {
  name: 'ZooKeeper sessions',
  note:
    'SessionTrackerImpl, its maps of sessions included, expiries rounded up to 3000 ms; a fire is expiring and removing, ' +
    'deadlines within 6 s, all past; a heap so large that little is collected',
  timersMax: 10_000_000,
} as const;

const JVM: JvmSettings = { heapMb: 6_144, collector: 'Parallel' };

export async function measureZookeeper(program: JavaProgram, timers: number, rounds: number): Promise<Cost> {
  return program.run<Cost>({ timers, rounds }, JVM);
}
