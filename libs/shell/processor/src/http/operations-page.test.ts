// docs/OPERATIONS.md says what an operator may ask: each path, metric and state on it exists, and it has each state.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { SHOWN_STATES } from '@flatline/runtime';
import { PATHS } from './http-server.ts';
import { metricsOf } from './metrics.ts';
import { SupervisorMetrics } from './supervisor-metrics.ts';

const page = readFileSync(new URL('../../../../../docs/OPERATIONS.md', import.meta.url), 'utf8');
const section = /^## Watching it\n([^]*?)\n## /m.exec(page)?.[1] ?? '';
const nothing = {
  version: '',
  application: '',
  instance: '',
  hasStarted: true,
  isStopping: false,
  lookUpFill: 0,
  deliveries: () => [],
  restart: () => 'absent' as const,
  lookUp: () => Promise.resolve(undefined),
  act: () => Promise.resolve(undefined),
  page: () => Promise.resolve(undefined),
  endpoint: '',
  wallNow: 0,
};

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each);
}

describe('docs/OPERATIONS.md', () => {
  test('names the paths there are, and no other', () => {
    const named = quoted(section).filter((each) => each.startsWith('/'));
    expect([...new Set(named)].sort()).toEqual([...PATHS].sort());
  });

  test('names metrics that exist, in its table and where it says what to alert on', async () => {
    const own = await metricsOf({ ...nothing, pipelines: () => [] }).metrics();
    const exposition = own + (await new SupervisorMetrics(() => []).text([]));
    const metrics = [...exposition.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
    const rows = [...section.matchAll(/^\| [^|]*?; ([^|]*) \|/gm)].flatMap(([, names = '']) => quoted(names));
    const alerts = /\*\*Alert on\*\* (.*)/.exec(section)?.[1] ?? '';
    const alarmed = quoted(alerts).map((each) => each.replace(/[{ ].*/, ''));
    const named = [...rows, ...alarmed].filter((name) => !name.startsWith('/'));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !metrics.includes(`flatline_${name}`))).toEqual([]);
  });

  test('names every state of a task', () => {
    expect(SHOWN_STATES.filter((state) => !section.includes(`\`${state}\``))).toEqual([]);
  });
});
