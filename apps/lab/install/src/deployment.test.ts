// What an operator copies: unit, compose file, alerts, dashboard and scaler name what the product has, and nothing else.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './installation.fixture.ts';

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
    const files = mounted.filter((each) => each.startsWith('./')).map((each) => each.split(':')[0]!);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(globSync(join('infra/compose', file), { cwd: root })).toHaveLength(1);
  });
});

describe('alerts, dashboard and scaler', () => {
  test('name metrics that the processor has', () => {
    const sources = ['metrics.ts', 'kind-metrics.ts'].map((name) => read(`libs/shell/processor/src/http/${name}`));
    const known = new Set(sources.join('\n').match(/flatline_[a-z_]+/g));
    const pages = [
      'infra/compose/alerts.yml',
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
