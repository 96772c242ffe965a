// Files for operators to copy: unit, compose file, alerts, dashboard and scaler name only things that the product has.
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './installation.fixture.ts';

/** Printed on a contributor's machine; CI, which installs it, fails. */
const NO_PROMTOOL =
  'the alerts: promtool is not on the PATH; it is in the package prometheus of Debian, and .ci/run gets it';

interface Tried {
  readonly alertname: string;
  readonly exp_alerts?: readonly object[];
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the unit', () => {
  test('restarts after the exit codes that get better, and not after those that do not', () => {
    const operations = read('docs/OPERATIONS.md');
    expect(operations).toContain('Restart on 3, 5 and 70 after a pause; not on 2 or 4.');
    const unit = read('infra/systemd/flatline.service');
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2 4$/m);
    expect(unit).toContain('/opt/flatline/node_modules/flatline/bin/flatline.mjs run');
  });
});

describe('the compose file', () => {
  const compose = parse(read('infra/compose/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly image: string; readonly volumes?: readonly string[] }>>;
  };

  test('runs the broker and the registry that everything is tested on', () => {
    const settings = read('libs/lab/dev-broker/src/container-settings.ts');
    for (const name of ['kafka', 'registry']) expect(settings).toContain(`'${compose.services[name]!.image}'`);
  });

  test('mounts files that are there', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const files = mounted.filter((each) => /^\.\.?\//.test(each)).map((each) => each.split(':')[0]!);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(globSync(join('infra/compose', file), { cwd: root })).toHaveLength(1);
  });
});

describe('alerts, dashboard and scaler', () => {
  test('name metrics that the processor has', () => {
    const sources = globSync('libs/shell/{processor/src/http,kind-modules/src}/**/*.ts', { cwd: root }).map(read);
    const known = new Set(sources.join('\n').match(/flatline_[a-z_]+/g));
    const pages = [
      'infra/helm/flatline/alerts.yaml',
      'infra/compose/grafana/dashboards/flatline.json',
      'infra/helm/flatline/templates/scaledobject.yaml',
    ];
    for (const page of pages) {
      const named = (read(page).match(/flatline_[a-z_]+/g) ?? []).map((name) => name.replace(/_bucket$/, ''));
      expect(named.length).toBeGreaterThan(1);
      expect(named.filter((name) => !known.has(name))).toEqual([]);
    }
  });
});

describe('the alerts', () => {
  const rules = 'infra/helm/flatline/alerts.yaml';
  const { groups } = parse(read(rules)) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const alerts = groups.flatMap((group) => group.rules);

  test('look at one job alone, in each selector', () => {
    for (const { expr } of alerts) expect(expr).not.toMatch(/\b(flatline_\w+|up|process_\w+)(?!\w|\{job="flatline")/);
  });

  test('are raised by the series that should, and by no others', () => {
    const run = spawnSync('promtool', ['test', 'rules', 'infra/helm/alerts.test.yaml'], {
      cwd: root,
      encoding: 'utf8',
    });
    if (run.error !== undefined) {
      if (process.env['CI'] !== undefined) throw new Error(NO_PROMTOOL, { cause: run.error });
      process.stderr.write(`not run: ${NO_PROMTOOL}\n`);
      return;
    }
    expect(run).toMatchObject({ status: 0, stderr: '' });
    const tried = new Map<string, Set<boolean>>();
    const { tests } = parse(read('infra/helm/alerts.test.yaml')) as { tests: { alert_rule_test: Tried[] }[] };
    for (const { alertname, exp_alerts = [] } of tests.flatMap(({ alert_rule_test }) => alert_rule_test))
      tried.set(alertname, (tried.get(alertname) ?? new Set()).add(exp_alerts.length > 0));
    expect([...tried.keys()].toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    for (const [name, outcomes] of tried) expect([name, outcomes]).toEqual([name, new Set([false, true])]);
  });
});
