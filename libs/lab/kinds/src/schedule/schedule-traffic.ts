import { choice, headersOf, type KindTraffic } from '../traffic/kind-traffic.ts';

const CRON = { 'flatline-cron': '* * * * * *', 'flatline-time-zone': 'Europe/Berlin', 'flatline-max-runs': 4 };

export const scheduleTraffic: KindTraffic<'schedule'> = {
  plural: 'schedules',
  section: (_timeoutMs, seed) => ({
    kind: 'schedule',
    // Lets some recur more often than each second.
    minEveryMs: 500,
    missed: choice(['once', 'all', 'skip'] as const, seed),
    // Each is combined with each of the former.
    receipts: choice(['all', 'errors', 'none'] as const, Math.floor(seed / 3)),
  }),
  sender: {
    by: 'producers',
    act: (random) => {
      const kind = random.below(100);
      const value = Buffer.from(`message ${kind}`);
      const id = random.chance(0.5) ? {} : { 'flatline-schedule-id': `id${random.below(3)}` };
      if (kind < 1) return { value, headers: headersOf({ ...id, 'flatline-due-at': 'tomorrow' }) };
      if (kind < 8) return { value: null, headers: headersOf(id) };
      if (kind < 12) return { value, headers: headersOf({ ...id, 'flatline-command': 'TRIGGER' }) };
      if (kind < 20) return { value, headers: headersOf({ ...id, ...CRON }) };
      if (kind < 30) return { value, headers: headersOf({ ...id, 'flatline-every-ms': 600, 'flatline-max-runs': 4 }) };
      return { value, headers: headersOf({ ...id, trace: kind, 'flatline-delay-ms': random.below(2_500) }) };
    },
  },
  lonely: (dueAt) => ({ value: Buffer.from('alone'), headers: headersOf({ 'flatline-due-at': dueAt }) }),
};
