import type { KindTraffic } from '../traffic/kind-traffic.ts';

export const sessionTraffic: KindTraffic<'session'> = {
  plural: 'sessions',
  section: (timeoutMs) => ({ kind: 'session', timeoutMs }),
  sender: { by: 'fleet' },
  lonely: () => ({ value: new Uint8Array() }),
};
