// Everything a processor needs, checked one by one, so that a failure hides only the checks that depend on it.
import { counted, messageOf } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { type KafkaConnection, KafkaLogScan } from '@flatline/kafka';
import { existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect, kafkaOf, registryOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf, typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { hostToAsk } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { pipelineTopicsOf } from '@flatline/processor';
import { inspectTopics } from '../topics/provision.ts';
import { deviationText, missingDeviation } from '../topics/topic-plan.ts';

export interface DoctorFlags extends ConfigurationFlags {
  readonly json?: boolean;
}

interface Finding {
  readonly what: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly text: string;
}

/** The local stores of some million sessions. */
const FREE_BYTES_MIN = 1_000_000_000;
const ANSWER_MAX_MS = 5_000;
const MARKS = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' } as const;

export async function runDoctor(flags: DoctorFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const findings: Finding[] = [];
  const say = (finding: Finding): void => {
    findings.push(finding);
    if (!console.json) console.result(finding, `${MARKS[finding.outcome]} ${finding.what}: ${finding.text}`);
  };
  await examine(flags, shell, say);
  const ok = findings.every(({ outcome }) => outcome !== 'wrong');
  if (console.json) console.result({ ok, findings }, '');
  return ok ? ExitCode.ok : ExitCode.failedCheck;
}

type Say = (finding: Finding) => void;

async function examine(flags: DoctorFlags, shell: Shell, say: Say): Promise<void> {
  say({ what: 'Node', outcome: 'ok', text: `${process.version} on ${process.platform} ${process.arch}` });
  const config = await tried('configuration', say, () => configurationOf(shell, flags));
  if (config === undefined) return;
  const names = config.pipelines.map(({ name, kind }) => `${name} (${kind})`).join(', ');
  say({ what: 'configuration', outcome: 'ok', text: `application ${config.application}: ${names}` });
  say(stateDirectory(config));
  say(await httpAddress(config));
  await examineRegistry(config, shell, say);
  const connection = await tried('brokers', say, () => connect(kafkaOf(config, shell.clock), shell.stop));
  if (connection === undefined) return;
  try {
    await examineCluster(config, connection, { flags, shell, say });
  } finally {
    connection.close();
  }
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

/** undefined, and said, where it throws. */
async function tried<T>(what: string, say: Say, attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    say({ what, outcome: 'wrong', text: messageOf(error) });
    return undefined;
  }
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

/** A running processor holds it; anything else there is in the way. */
async function httpAddress({ http: { host, port } }: FlatlineConfig): Promise<Finding> {
  const what = 'HTTP';
  const another = 'choose another http.port or --http-port';
  const address = `http://${hostToAsk(host)}:${port}`;
  if (port === 0) return { what, outcome: 'ok', text: 'any free port' };
  try {
    const answer = await fetch(`${address}/livez`, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    const isOurs = answer.ok && (await answer.text()).includes('"live"');
    if (isOurs) return { what, outcome: 'ok', text: `a processor answers at ${address}` };
    return { what, outcome: 'wrong', text: `another program answers at ${address}: ${another}` };
  } catch (error) {
    if (codeOf(error) === 'ECONNREFUSED') return { what, outcome: 'ok', text: `${address} is free` };
    const why = messageOf((error as Error).cause ?? error);
    return {
      what,
      outcome: 'wrong',
      text: `what listens at ${address} does not answer (${why}): ${another}`,
    };
  }
}

function codeOf(error: unknown): unknown {
  return ((error as Error).cause as { readonly code?: unknown } | undefined)?.code;
}
