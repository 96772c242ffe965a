import { choice, headersOf, type KindTraffic } from '../traffic/kind-traffic.ts';

export const debounceTraffic: KindTraffic<'debounce'> = {
  plural: 'windows',
  section: (timeoutMs, seed) => ({
    kind: 'debounce',
    waitMs: timeoutMs,
    maxWaitMs: 3 * timeoutMs,
    maxItems: 12,
    mode: choice(['trailing', 'window', 'leading'] as const, seed),
    onOversize: choice(['flush', 'split'] as const, seed),
  }),
  sender: {
    by: 'producers',
    act: (random) => {
      const kind = random.below(100);
      if (kind < 1) return { value: Buffer.from('x'), headers: headersOf({ 'flatline-wait-ms': 'soon' }) };
      if (kind < 4) return { value: null };
      if (kind < 8) return { value: null, headers: headersOf({ 'flatline-command': 'FLUSH' }) };
      if (kind < 15) return { value: Buffer.of(0xff, kind) };
      const value = Buffer.from(kind < 30 ? `text ${kind}` : JSON.stringify({ n: kind, of: 'x'.repeat(kind) }));
      return kind < 40 ? { value, headers: headersOf({ 'flatline-wait-ms': 200 + kind }) } : { value };
    },
  },
  lonely: () => ({ value: Buffer.from('{"alone":true}') }),
};
