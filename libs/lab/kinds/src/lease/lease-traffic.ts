import { choice, headersOf, type KindTraffic } from '../traffic/kind-traffic.ts';

export const leaseTraffic: KindTraffic<'lease'> = {
  plural: 'leases',
  section: (timeoutMs, seed) => ({
    kind: 'lease',
    timeoutMs,
    minTimeoutMs: Math.min(timeoutMs, 1_000),
    onConflict: choice(['replace', 'queue', 'reject'] as const, seed),
    maxWaiters: 2,
    lockDelayMs: choice([0, 300], seed),
  }),
  sender: {
    by: 'producers',
    // The holder, clients that want the lease, and clients that believe they hold it: a token is the offset of a start, plus one.
    act: (random, offsets) => {
      const kind = random.below(100);
      const start = random.chance(0.7) ? offsets.at(-1) : offsets[0];
      const token = headersOf({ 'flatline-token': (start ?? 0) + 1 });
      if (kind < 1) return { value: Buffer.from('no request') };
      if (kind < 35) {
        const waits = { waitMs: random.below(2_000), ...(kind % 3 === 0 && { requestId: `r${random.below(1_000)}` }) };
        return { value: Buffer.from(JSON.stringify({ type: 'STARTED', attributes: { host: `h${kind}` }, ...waits })) };
      }
      return { value: kind < 85 ? new Uint8Array() : null, headers: token };
    },
  },
  lonely: () => ({ value: Buffer.from('{"type":"STARTED"}') }),
};
