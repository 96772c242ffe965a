// Everything a processor needs, checked one by one, so that a failure hides only the checks that depend on it.
import { counted, messageOf } from '@flatline/base';
import { type FlatlineConfig, type PipelineConfig, SECRET_SECTIONS } from '@flatline/config';
import { type KafkaConnection, KafkaLogScan, KafkaTopicAdmin } from '@flatline/kafka';
import { kindOf } from '@flatline/kind-modules';
import { existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect, kafkaOf, registryOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf, typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { type AccessFlags, accessOf } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { lackingRights, pipelineTopicsOf, rightsText } from '@flatline/processor';
import { topicNamesOf } from '../topics/pipeline-topics.ts';
import { inspectTopics } from '../topics/provision.ts';
import { deviationText, missingDeviation } from '../topics/topic-plan.ts';
import { type Finding, httpFindings } from './doctor-http.ts';

export interface DoctorFlags extends ConfigurationFlags, AccessFlags {
  readonly json?: boolean;
}

/** The local stores of some million sessions. */
const FREE_BYTES_MIN = 1_000_000_000;
const MARKS = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' } as const;

export async function runDoctor(flags: DoctorFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const findings: Finding[] = [];
  const say = (finding: Finding): void => {
    findings.push(finding);
    if (!console.json)
      console.result(finding, console.typed(`${MARKS[finding.outcome]} ${finding.what}: ${finding.text}`));
  };
  await examine(flags, shell, say);
  const ok = findings.every(({ outcome }) => outcome !== 'wrong');
  if (console.json) console.result({ ok, findings }, '');
  return ok ? ExitCode.ok : ExitCode.failedCheck;
}

type Say = (finding: Finding) => void;

async function examine(flags: DoctorFlags, shell: Shell, say: Say): Promise<void> {
  say({ what: 'Node', outcome: 'ok', text: `${process.version} on ${process.platform} ${process.arch}` });
  const whole = await tried('configuration', say, () => configurationOf(shell, flags, SECRET_SECTIONS));
  // The brokers can be checked without a secret that only the processor has.
  const config = whole ?? (await withoutIngest(flags, shell));
  if (config === undefined) return;
  const names = config.pipelines.map(({ name, kind }) => `${name} (${kind})`).join(', ');
  say({ what: 'configuration', outcome: 'ok', text: `application ${config.application}: ${names}` });
  for (const pipeline of config.pipelines) {
    say(readersOf(pipeline));
    say(outageFinding(pipeline));
  }
  say(stateDirectory(config));
  for (const finding of await httpFindings(config, accessOf(flags, shell))) say(finding);
  const endpoints = config.notifier?.endpoints ?? [];
  if (endpoints.length > 0) {
    const { endpointFindings } = await import('./doctor-endpoints.ts');
    for (const finding of await endpointFindings(endpoints, { clock: shell.clock, env: shell.env })) say(finding);
  }
  await examineRegistry(config, shell, say);
  const connection = await tried('brokers', say, () => connect(kafkaOf(config, shell.clock), shell.stop));
  if (connection === undefined) return;
  try {
    await examineCluster(config, connection, { flags, shell, say });
  } finally {
    connection.close();
  }
}

/** C8 */
function outageFinding(pipeline: PipelineConfig): Finding {
  const { doesHarm, text } = kindOf(pipeline).outage(pipeline);
  return { what: `outages of the brokers, pipeline ${pipeline.name}`, outcome: doesHarm ? 'warning' : 'ok', text };
}

async function examineRegistry(config: FlatlineConfig, { clock }: Shell, say: Say): Promise<void> {
  const registry = registryOf(config, clock);
  if (registry === undefined) return;
  const what = 'schema registry';
  await tried(what, say, async () => {
    await registry.check();
    say({ what, outcome: 'ok', text: `${registry.name} answers` });
  });
}

async function examineCluster(
  config: FlatlineConfig,
  connection: KafkaConnection,
  { flags, shell, say }: { readonly flags: DoctorFlags; readonly shell: Shell; readonly say: Say },
): Promise<void> {
  const { nodes } = await connection.refresh([]);
  say({ what: 'brokers', outcome: 'ok', text: `${config.brokers.join(', ')}: ${counted(nodes.length, 'node')}` });
  const asked = { partitions: undefined, replication: undefined, flags: typedFlags(flags) };
  const inspected = await tried('topics', say, () =>
    inspectTopics(pipelineTopicsOf(config), { clock: shell.clock, connection, ...asked }),
  );
  if (inspected !== undefined) sayTopics(inspected.plan, typedFlags(flags), say);
  await tried('rights', say, async () => {
    const pipelines = pipelineTopicsOf(config);
    const findings = await new KafkaTopicAdmin({ clock: shell.clock, connection }).describeTopics(
      topicNamesOf(pipelines),
    );
    const lacking = lackingRights(pipelines, findings).map(rightsText);
    for (const text of lacking) say({ what: 'rights', outcome: 'wrong', text: `this user lacks some: ${text}` });
    if (lacking.length === 0) say({ what: 'rights', outcome: 'ok', text: 'all that a processor needs on its topics' });
  });
  const scan = new KafkaLogScan({ clock: shell.clock, connection });
  for (const { name, group } of config.pipelines) {
    const hasMembers = await tried(`group ${group}`, say, () => scan.hasMembers(group));
    if (hasMembers === undefined) continue;
    const text = hasMembers
      ? `processors of ${name} run, or one was killed less than ${duration(config.kafka.sessionTimeoutMs)} ago`
      : `no processor of ${name} runs`;
    say({ what: `group ${group}`, outcome: hasMembers ? 'ok' : 'warning', text });
  }
}

function sayTopics(
  { missing, deviations, risks }: Awaited<ReturnType<typeof inspectTopics>>['plan'],
  flags: string,
  say: Say,
): void {
  const wrong = [...missing.map((topic) => missingDeviation(topic, flags)), ...deviations];
  for (const each of wrong) say({ what: 'topics', outcome: 'wrong', text: deviationText(each) });
  for (const each of risks) say({ what: 'topics', outcome: 'warning', text: deviationText(each) });
  if (wrong.length === 0) say({ what: 'topics', outcome: 'ok', text: 'as they have to be' });
}

/** Returns the configuration without `ingest`; undefined if more than that is wrong, which has been reported. */
async function withoutIngest(flags: DoctorFlags, shell: Shell): Promise<FlatlineConfig | undefined> {
  try {
    return await configurationOf(shell, flags, ['kafka', 'schemaRegistry']);
  } catch {
    return undefined;
  }
}

/** Runs `attempt`; reports it and returns undefined if it throws. */
async function tried<T>(what: string, say: Say, attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    say({ what, outcome: 'wrong', text: messageOf(error) });
    return undefined;
  }
}

/** States what a client needs to read a burst of outputs. A trial would not tell: batches below 4 kB come unpacked. */
function readersOf({ name, output: { topic, compression } }: FlatlineConfig['pipelines'][number]): Finding {
  const needs = {
    none: 'not packed: every client reads it',
    gzip: 'packed with gzip: every client reads it',
    snappy: 'packed with snappy: kafkajs needs a codec for it (CompressionCodecs)',
    lz4: 'packed with lz4: kafkajs needs a codec for it (CompressionCodecs)',
    zstd: 'packed with zstd: kafkajs needs a codec for it (CompressionCodecs), any other client Kafka 2.1 or newer',
  };
  return { what: `readers of ${name}`, outcome: 'ok', text: `${topic} is ${needs[compression]}` };
}

function stateDirectory({ stateDir }: FlatlineConfig): Finding {
  const what = 'state directory';
  let folder = stateDir;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    // Permissions alone do not tell: procfs lets root write, and creates nothing.
    rmdirSync(mkdtempSync(join(folder, '.flatline-doctor-')));
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const text = `${stateDir}, ${(free / 1e9).toFixed(1)} GB free`;
    if (free >= FREE_BYTES_MIN) return { what, outcome: 'ok', text };
    return { what, outcome: 'warning', text: `${text}: a million bare sessions take about 0.2 GB` };
  } catch (error) {
    const remedy = 'choose another with stateDir or --state-dir, or let this user write there';
    return { what, outcome: 'wrong', text: `${stateDir} cannot be written (${messageOf(error)}): ${remedy}` };
  }
}
