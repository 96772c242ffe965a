// The Helm chart as Kubernetes gets it: rendered by `npm run chart`, recorded, and checked against the types of each API.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root, version } from './installation.fixture.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Module with the types of each API. */
const TYPES: Readonly<Record<string, string>> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'batch/v1': 'kubernetes-models/batch/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
};

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifestsIn = (name: string): Manifest[] =>
  parseAllDocuments(read(`infra/helm/rendered/${name}.yaml`)).map((document) => document.toJS() as Manifest);

const manifestIn = (name: string, wanted: string): unknown => manifestsIn(name).find(({ kind }) => kind === wanted);

interface Workload {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { env: readonly { name: string; value?: string }[] }[] };
    };
  };
}

interface Scaler {
  readonly spec: { readonly triggers: readonly { metadata: { ignoreNullValues?: string; query: string } }[] };
}

function environmentIn(name: string): Record<string, string | undefined> {
  const { containers } = (manifestIn(name, 'StatefulSet') as Workload).spec.template.spec;
  return Object.fromEntries(containers[0]!.env.map((each) => [each.name, each.value]));
}

/** A source that compiles only if each manifest has the type of its API, and no other field. */
function typed(manifests: readonly Manifest[]): string {
  const typeOf = ({ apiVersion, kind }: Manifest): string => `import('${TYPES[apiVersion]!}').I${kind}`;
  return manifests.map((each) => `(${JSON.stringify(each)}) satisfies ${typeOf(each)};\n`).join('');
}

describe('the chart', () => {
  const names = globSync('infra/helm/rendered/*.yaml', { cwd: root }).map((path) => /(\w+)\.yaml$/.exec(path)![1]!);
  let errors: readonly string[];
  beforeAll(() => {
    const folder = join(root, '.flatline/chart');
    mkdirSync(folder, { recursive: true });
    for (const name of names) writeFileSync(join(folder, `${name}.mts`), typed(manifestsIn(name)));
    const least = typed(manifestsIn('least'));
    const misspelt = least.replace('"livenessProbe"', '"aliveProbe"');
    const asText = least.replace('"containerPort":7070', '"containerPort":"7070"');
    writeFileSync(join(folder, 'wrong.mts'), misspelt + asText);
    const how = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--ignoreConfig',
      '--pretty',
      'false',
    ];
    const files = [...names, 'wrong'].map((name) => `${name}.mts`);
    const tsc = [join(root, 'node_modules/@typescript/native/bin/tsc'), ...how, ...files];
    errors = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' }).stdout.split('\n');
  });

  test('has been rendered since it was last changed', () => {
    const check = spawnSync(process.execPath, [join(root, 'scripts/chart.ts'), '--check'], { encoding: 'utf8' });
    expect(check).toMatchObject({ status: 0, stderr: '' });
    expect(names.toSorted()).toEqual(['everything', 'least', 'workers']);
  });

  test('has the types of Kubernetes and its operators; a misspelt field and a number as text would be found', () => {
    expect(errors.filter((line) => line !== '' && !/^( |wrong\.mts)/.test(line))).toEqual([]);
    expect(errors.join('\n')).toMatch(/^wrong\.mts.*aliveProbe.* does not exist/m);
    expect(errors.join('\n')).toMatch(/^wrong\.mts.*'string' is not assignable to type 'number'/m);
  });

  test('renders all it can, and by default a volume for each instance', () => {
    const kinds = manifestsIn('everything').map(({ kind }) => kind);
    const parts = [
      'ConfigMap',
      'ConfigMap',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'ScaledObject',
      'Service',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ];
    expect(kinds.toSorted()).toEqual([...parts, 'StatefulSet']);
    expect(manifestIn('least', 'StatefulSet')).toMatchObject({
      spec: { replicas: 2, volumeClaimTemplates: [{ metadata: { name: 'state' } }] },
    });
  });

  test('names each instance so that no pod of another namespace or cluster has the same id in a group', () => {
    const nameIn = (name: string): unknown => environmentIn(name)['FLATLINE_INSTANCE'];
    expect([nameIn('least'), nameIn('everything')]).toEqual(['sales-$(POD_NAME)', 'eu-1-$(POD_NAME)']);
  });

  test('leaves the heap of workers to their supervisor, unless the values say it', () => {
    const heapIn = (name: string): unknown => environmentIn(name)['NODE_OPTIONS'];
    expect(heapIn('least')).toBe('--max-old-space-size=512');
    expect(heapIn('everything')).toBe('--max-old-space-size=1024');
    expect(heapIn('workers')).toBeUndefined();
  });

  test('creates topics with the secrets, rights and images of the instances, as a pod that is none of them', () => {
    const podOf = (kind: string) => (manifestIn('everything', kind) as Workload).spec.template;
    const [job, instance] = [podOf('Job'), podOf('StatefulSet')];
    for (const field of ['imagePullSecrets', 'securityContext', 'nodeSelector', 'tolerations'])
      expect(job.spec).toHaveProperty(field, instance.spec[field as keyof typeof instance.spec]);
    const [container] = instance.spec.containers;
    for (const field of ['image', 'envFrom', 'securityContext'])
      expect(job.spec.containers[0]).toHaveProperty(field, container![field as keyof typeof container]);
    const { selector } = (manifestIn('everything', 'Service') as { spec: { selector: object } }).spec;
    expect(instance.metadata.labels).toMatchObject(selector);
    expect(job.metadata.labels).not.toMatchObject(selector);
  });

  test('scales by its own metrics alone, and not at all where nothing is scraped', () => {
    const { triggers } = (manifestIn('everything', 'ScaledObject') as Scaler).spec;
    const { ignoreNullValues, query } = triggers[0]!.metadata;
    const selectors = [...query.matchAll(/flatline_\w+(\{.*?\})?/g)].map(([, selector]) => selector);
    expect(new Set(selectors)).toEqual(new Set(['{namespace="sales", service="shop"}']));
    expect({ ignoreNullValues, query }).toMatchObject({
      ignoreNullValues: 'false',
      query: expect.stringMatching(/ or 0 \* count\(flatline_build_info\{[^}]*\}\)$/),
    });
  });

  test('raises the alerts of alerts.yaml, of its own instances alone', () => {
    const { groups } = parse(read('infra/helm/flatline/alerts.yaml')) as { readonly groups: readonly object[] };
    const own = JSON.stringify(groups)
      .replaceAll('job=\\"flatline\\"', 'namespace=\\"sales\\", service=\\"shop\\"')
      .replaceAll('docs/RUNBOOKS.md#', 'https://wiki.example/flatline/runbooks#');
    expect(own).not.toContain('job=');
    expect(manifestIn('everything', 'PrometheusRule')).toMatchObject({ spec: { groups: JSON.parse(own) as unknown } });
  });

  test('hands the dashboard to the sidecar of Grafana, as it is', () => {
    const [, board] = manifestsIn('everything').filter(({ kind }) => kind === 'ConfigMap') as unknown as [
      Manifest,
      { readonly metadata: object; readonly data: Readonly<Record<string, string>> },
    ];
    expect(board.metadata).toMatchObject({
      name: 'shop-dashboard',
      labels: { grafana_dashboard: '1' },
      annotations: { 'k8s-sidecar-target-directory': 'Kafka' },
    });
    expect(JSON.parse(board.data['flatline.json']!)).toEqual(JSON.parse(read('infra/helm/flatline/dashboard.json')));
    expect(manifestsIn('least').filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(1);
  });

  test('has a port for ingest where that is configured, with tokens out of a secret, for whom the policy says', () => {
    const services = manifestsIn('everything').filter(({ kind }) => kind === 'Service');
    expect(services).toMatchObject([
      {
        metadata: { name: 'shop-ingest' },
        spec: { type: 'LoadBalancer', ports: [{ port: 7072, targetPort: 'ingest' }] },
      },
      { metadata: { name: 'shop' }, spec: { clusterIP: 'None', ports: [{ port: 7070 }] } },
    ]);
    const config = (manifestIn('everything', 'ConfigMap') as { data: Record<string, string> }).data[
      'flatline.config.json'
    ]!;
    expect(JSON.parse(config)).toMatchObject({
      ingest: {
        host: '0.0.0.0',
        port: 7072,
        tls: { cert: '/etc/flatline-ingest-tls/tls.crt', key: { file: '/etc/flatline-ingest-tls/tls.key' } },
        tokens: [{ file: '/etc/flatline-ingest/web' }, { file: '/etc/flatline-ingest/app' }],
      },
    });
    const pod = (manifestIn('everything', 'StatefulSet') as Workload).spec.template.spec;
    expect(pod).toMatchObject({
      containers: [{ ports: [{ name: 'http' }, { name: 'ingest', containerPort: 7072 }] }],
      volumes: expect.arrayContaining([
        { name: 'ingest-tls', secret: { secretName: 'shop-ingest-tls' } },
        { name: 'ingest-tokens', secret: { secretName: 'shop-ingest' } },
      ]),
    });
    expect(manifestIn('everything', 'NetworkPolicy')).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 'http' }] }, { from: [{}], ports: [{ port: 'ingest' }] }] },
    });
  });

  test('[H1] has TLS and callers for HTTP: a certificate that is replaced, or a mesh; probes and Prometheus ask accordingly', () => {
    const configIn = (name: string): unknown =>
      JSON.parse((manifestIn(name, 'ConfigMap') as { data: Record<string, string> }).data['flatline.config.json']!);
    const tls = { cert: '/etc/flatline-tls/tls.crt', key: { file: '/etc/flatline-tls/tls.key' } };
    expect(configIn('least')).toMatchObject({ http: { tls: { ...tls, ca: '/etc/flatline-tls/ca.crt' } } });
    expect(configIn('everything')).toMatchObject({
      http: { tls, auth: { oidc: { audience: 'flatline' }, group: { file: '/etc/flatline-group/token' } } },
    });
    expect(configIn('workers')).toMatchObject({ http: { tls: 'terminated', auth: { tokens: [{ role: 'admin' }] } } });
    const probeIn = (name: string): unknown => {
      const [container] = (manifestIn(name, 'StatefulSet') as Workload).spec.template.spec.containers;
      return (container as unknown as { readonly readinessProbe: { readonly httpGet: object } }).readinessProbe.httpGet;
    };
    expect(['least', 'workers'].map(probeIn)).toMatchObject([{ scheme: 'HTTPS' }, { scheme: 'HTTP' }]);
    const advertised = ['least', 'workers'].map((name) => environmentIn(name)['FLATLINE_HTTP_ADVERTISED']);
    expect(advertised).toEqual(['$(POD_NAME).shop.sales.svc:7070', undefined]);
    expect(manifestIn('everything', 'ServiceMonitor')).toMatchObject({
      spec: {
        endpoints: [
          {
            scheme: 'https',
            authorization: { credentials: { name: 'shop-metrics', key: 'read' } },
            tlsConfig: { serverName: 'shop.sales.svc' },
          },
        ],
      },
    });
  });

  test.each([
    ['http', /^http\.tlsSecret: is missing/m],
    ['callers', /^http\.tokens: are missing/m],
    ['scaler', /^scaler\.enabled: needs serviceMonitor\.enabled/m],
    ['alerts', /^alerts\.enabled: needs serviceMonitor\.enabled/m],
    ['ingest', /^ingest\.tokensSecret: is missing/m],
    ['senders', /^ingest\.tlsSecret: is missing/m],
    ['workers', /^workers: auto needs resources\.limits\.cpu/m],
  ])('refuses what would mislead its %s', (name, reason) => {
    expect(read(`infra/helm/rendered/refused/${name}.txt`)).toMatch(reason);
  });

  test('has the version of the workspace', () => {
    expect(parse(read('infra/helm/flatline/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});
