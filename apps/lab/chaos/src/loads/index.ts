// The traffic of each kind but sessions: a line for each, or the compiler names the one that lacks.
import { leases } from './leases.ts';
import { schedules } from './schedules.ts';
import type { LoadedKind, Traffic } from './traffic.ts';
import { windows } from './windows.ts';

export const traffics: { readonly [Kind in LoadedKind]: Traffic } = {
  lease: leases,
  debounce: windows,
  schedule: schedules,
};

export const loadedKinds = Object.keys(traffics) as readonly LoadedKind[];
