// `flatline try`: what a newcomer plays with, in a project of her own.
import type { DurationMs } from '@flatline/base';
import { resolveConfiguration } from '@flatline/config';
import { dataDirOf, freePorts, isPortFree } from '@flatline/dev-broker';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, sep } from 'node:path';
import type { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { duration } from '../terminal/progress.ts';
import type { Console } from '../terminal/console.ts';
import { play } from './show/play.ts';
import type { OwnBroker, Show } from './show/settings.ts';
import { playOptions, type ShowFlags } from './show/show-flags.ts';
import { inputOf, onStage, outputOf, type Stage } from './show/stage.ts';
import { nextSteps, trySettings, tryTopics, visitorProgram } from './try-files.ts';
import { TryFolder } from './try-folder.ts';

export interface TryFlags extends ShowFlags {
  readonly port?: number;
  readonly keep?: boolean;
}

/** Long enough to be a session by hand, short enough to wait for its end. */
const TIMEOUT_MS: DurationMs = 5000;
const PARTITIONS = 4;
const HEARTBEAT_MS: DurationMs = 1000;
const BROKER_PORT = 9092;
const HTTP_PORT = 7070;
/** Kafka's own end takes seconds, and is waited for: the prompt comes back once all is gone. */
const END_WITHIN_MS: DurationMs = 15_000;
/** Left running overnight it does not fill the disk: each partition of its topics may take so much. */
const BOUNDS = { 'log.retention.bytes': 64 << 20, 'log.segment.bytes': 16 << 20 };
const CONFIG = 'flatline.config.json';
const VISITOR = 'visitor.mjs';

export async function runTry(flags: TryFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const options = playOptions(flags);
  const keep = flags.keep === true;
  const broker = { port: await brokerPort(flags), keep, properties: BOUNDS };
  const httpPort = (await isPortFree(HTTP_PORT)) ? HTTP_PORT : (await freePorts(1))[0]!;
  const folder = TryFolder.make(shell.folder);
  const removeFolder = (): void => {
    folder.remove();
  };
  // A second Ctrl-C ends the process at once.
  if (!keep) process.once('exit', removeFolder);
  try {
    const show = showIn(folder, { broker, httpPort });
    const onReady = (stage: Stage): string => sayBegin(stage, folder, { console, shell, keep });
    return await onStage(show, flags, shell, console, async (stage) => {
      const exitCode = await play(stage, { ...options, onReady }, console, shell);
      if (keep) sayKept(stage, folder, console);
      return exitCode;
    });
  } finally {
    process.off('exit', removeFolder);
    if (!keep) folder.remove();
  }
}

/** undefined: any that is free. */
async function brokerPort({ port, brokers }: TryFlags): Promise<number | undefined> {
  if (port !== undefined && brokers !== undefined)
    throw usageFailure('--port is for a broker that is started, --brokers names one that runs: leave one of them out');
  return port ?? ((await isPortFree(BROKER_PORT)) ? BROKER_PORT : undefined);
}

function showIn(
  folder: TryFolder,
  { broker, httpPort }: { readonly broker: OwnBroker; readonly httpPort: number },
): Show {
  return {
    name: 'try',
    timeoutMs: TIMEOUT_MS,
    partitions: PARTITIONS,
    heartbeatMs: HEARTBEAT_MS,
    beatsMean: 6,
    broker,
    endWithinMs: END_WITHIN_MS,
    configuration: ({ brokers, isNewBroker, startedAt }) => {
      const topics = tryTopics(isNewBroker, startedAt);
      const settings = { ...topics, brokers, stateDir: folder.stateDir, httpPort, timeoutMs: TIMEOUT_MS };
      const file = trySettings(settings);
      folder.write(CONFIG, `${JSON.stringify(file, undefined, 2)}\n`);
      folder.write(VISITOR, visitorProgram(settings, join(folder.typed, VISITOR)));
      // No environment: whoever sets FLATLINE_ variables means another application.
      return resolveConfiguration(file, { source: CONFIG, folder: folder.path, environment: {} });
    },
  };
}

interface Saying {
  readonly console: Console;
  readonly shell: Shell;
  readonly keep: boolean;
}

/** Tells what runs, where, and what to do beside it. @returns the text told to a person */
function sayBegin(
  { show, config, broker, processor }: Stage,
  folder: TryFolder,
  { console, shell, keep }: Saying,
): string {
  const steps = nextSteps({
    config: join(folder.typed, CONFIG),
    visitor: join(folder.typed, VISITOR),
    broker: config.brokers[0]!,
    input: inputOf(config),
    hasKcat: isOnPath('kcat', shell),
    hasClient: hasClient(shell.folder),
  });
  const fate = keep ? 'stays (--keep)' : 'goes when this ends';
  const isOwn = broker.origin === 'own';
  const another = show.broker.port === undefined ? ` (${BROKER_PORT} is taken)` : '';
  const lines = [
    `broker     ${config.brokers.join(',')}${isOwn ? `${another}; its data ${fate}` : ', which was there; the topics stay'}`,
    `processor  ${processor.httpAddress}, with the dashboard at /`,
    `topics     ${inputOf(config)} → ${outputOf(config)}, ${duration(TIMEOUT_MS)} after a session's last heartbeat`,
    `files      ${folder.typed}${sep}, which ${fate}, but for what you change in it`,
    '',
    'In another terminal, in this folder:',
    ...steps.map(({ does, command }) => `  # ${does}\n  ${command}`),
    '',
  ];
  const text = lines.join('\n');
  const next = steps.map(({ does, command }) => ({ does, command: console.typed(command) }));
  if (console.json)
    console.result(
      {
        kind: 'started',
        brokers: config.brokers,
        startedBroker: isOwn,
        pids: broker.pids,
        http: processor.httpAddress,
        input: inputOf(config),
        output: outputOf(config),
        timeoutMs: TIMEOUT_MS,
        config: join(folder.path, CONFIG),
        keep,
        next,
      },
      '',
    );
  else console.note(text);
  return console.typed(text);
}

function sayKept({ config, broker }: Stage, folder: TryFolder, console: Console): void {
  const isOwn = broker.origin === 'own';
  const port = config.brokers[0]!.split(':').at(-1)!;
  const data = isOwn ? `, and what the broker stores in ${dataDirOf(undefined)}` : '';
  const start = isOwn ? `\n  flatline broker start${Number(port) === BROKER_PORT ? '' : ` --port ${port}`}` : '';
  console.note(
    `Kept: ${folder.typed}${data}. Go on with:${start}\n  flatline run --config ${join(folder.typed, CONFIG)}`,
  );
}

function isOnPath(name: string, { env }: Shell): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false; // not there: the next folder
    }
  });
}

function hasClient(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve('@flatline/client/package.json');
    return true;
  } catch {
    return false; // not installed in this project
  }
}
