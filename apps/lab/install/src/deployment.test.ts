// Files for operators to copy: unit, compose file, alerts, dashboard and scaler name only things that the product has.
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { labelsLeft, misunderstood } from './expressions.fixture.ts';
import { root } from './installation.fixture.ts';

/** Printed on a contributor's machine; CI, which installs it, fails. */
const NO_PROMTOOL =
  'the alerts: promtool is not on the PATH; it is in the package prometheus of Debian, and .ci/run gets it';

interface Tried {
  readonly alertname: string;
  readonly exp_alerts?: readonly object[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { groups } = parse(read('infra/helm/flatline/alerts.yaml')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('infra/helm/flatline/dashboard.json')) as { panels: readonly Panel[] };
const targets = panels.flatMap((panel) => panel.targets);

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
  const scaler = /query: (.*)/.exec(read('infra/helm/flatline/templates/scaledobject.yaml'))![1]!;

  test('name metrics that the processor has, each as the type that it is, and labels that these have', () => {
    const all = [...alerts.map(({ expr }) => expr), ...targets.map(({ expr }) => expr), scaler];
    expect(all.length).toBeGreaterThan(40);
    for (const expression of all) expect([expression, misunderstood(expression)]).toEqual([expression, []]);
  });

  test('a metric that there is not, a label that it has not, and a gauge taken for a counter would be found', () => {
    expect(misunderstood('flatline_no_such > 0')).toEqual(['there is no flatline_no_such']);
    expect(misunderstood('sum by (partition) (flatline_commits_total)')).toEqual([
      'flatline_commits_total has no label partition',
    ]);
    expect(misunderstood('flatline_lag_records{reason="x"}')).toEqual(['flatline_lag_records has no label reason']);
    expect(misunderstood('rate(flatline_lag_records[5m])')).toEqual(['flatline_lag_records is a gauge']);
    expect(misunderstood('flatline_close_delay_seconds > 1')).toEqual(['flatline_close_delay_seconds is a histogram']);
  });

  test('the dashboard names lines by labels that its expressions leave', () => {
    for (const { expr, legendFormat } of targets) {
      const left = labelsLeft(expr);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      expect([expr, shown.filter((label) => !left.includes(label))]).toEqual([expr, []]);
    }
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});

describe('the runbooks', () => {
  const sections = new Map(
    read('docs/RUNBOOKS.md')
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n')[0]!, section]),
  );

  test('have a section for each alert, with its severity, meaning, impact, diagnosis and mitigation, and no other', () => {
    expect([...sections.keys()].toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    for (const { alert, labels } of alerts) {
      const section = sections.get(alert)!;
      expect(section).toMatch(new RegExp(`^${alert}\n\n\`${labels.severity}\`\n\n- \\*\\*Meaning`));
      const parts = [...section.matchAll(/^- \*\*(\w+)\.\*\* ./gm)].map(([, part]) => part);
      expect([alert, parts]).toEqual([alert, ['Meaning', 'Impact', 'Diagnosis', 'Mitigation']]);
    }
  });

  test('are where each alert says', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook_url).toBe(`docs/RUNBOOKS.md#${alert.toLowerCase()}`);
  });
});

describe('the alerts', () => {
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
