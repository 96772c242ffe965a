import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { ensureBroker, startBroker } from './broker.ts';
import { readState, survivorsOf } from './broker-state.ts';
import { askBrokers } from './metadata-probe.ts';
import { freePorts } from './ports.ts';
import { identify, isAlive } from './process-identity.ts';
import { type BrokerNode, type RunningBroker } from './running-broker.ts';
import { program, until } from './testing/program.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const WITHIN_MS = 180_000;
const addressOf = ({ port }: BrokerNode): { host: string; port: number } => ({ host: '127.0.0.1', port });

describe('an ephemeral broker with a registry', () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await startBroker({ ephemeral: true, shortLived: true, registry: true, source: 'java' });
  }, WITHIN_MS);
  afterAll(() => broker.stop());

  test('answers on the one address it names', async () => {
    expect(broker.bootstrap).toBe(`127.0.0.1:${broker.nodes[0]!.port}`);
    expect(await askBrokers(addressOf(broker.nodes[0]!))).toEqual([{ id: 1, ...addressOf(broker.nodes[0]!) }]);
  });

  test('registers a subject by the Confluent API', async () => {
    const subject = `${broker.registryUrl ?? ''}/subjects/visits-value/versions`;
    const schema = JSON.stringify({ type: 'record', name: 'Visit', fields: [{ name: 'at', type: 'long' }] });
    const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
    const registered = await fetch(subject, { method: 'POST', headers, body: JSON.stringify({ schema }) });
    const { id } = (await registered.json()) as { id: number };
    const found = await fetch(`${broker.registryUrl ?? ''}/schemas/ids/${id}`);
    expect(JSON.parse(((await found.json()) as { schema: string }).schema)).toEqual(JSON.parse(schema));
  });

  test(
    'loses a node to kill -9, starts it again on its port, and leaves nothing when it stops',
    async () => {
      const [node] = broker.nodes;
      const first = identify(node!.pid ?? 0)!;
      await node!.kill9();
      expect(isAlive(first)).toBe(false);
      expect(await askBrokers(addressOf(node!))).toBeUndefined();
      await node!.start();
      expect(await askBrokers(addressOf(node!))).toHaveLength(1);

      const second = identify(node!.pid ?? 0)!;
      await broker.stop();
      expect(isAlive(second)).toBe(false);
      expect(await askBrokers(addressOf(node!))).toBeUndefined();
      await expect(fetch(`${broker.registryUrl ?? ''}/subjects`)).rejects.toThrow();
    },
    WITHIN_MS,
  );
});

describe('a broker of another process', () => {
  test(
    'and its temporary directory are gone when that process is killed with -9',
    async () => {
      const { child, said } = await program(`
        const broker = await lib.startBroker({ ephemeral: true, shortLived: true, source: 'java' });
        say({ dataDir: broker.dataDir, port: broker.nodes[0].port });
        setInterval(() => undefined, 1000);`);
      const { dataDir, port } = said as { dataDir: string; port: number };
      expect(await askBrokers({ host: '127.0.0.1', port })).toHaveLength(1);
      const processes = survivorsOf(readState(dataDir)!);
      expect(processes.length).toBe(2); // Java and its supervisor

      child.kill('SIGKILL');
      await until(() => !processes.some(isAlive));
      expect(existsSync(dataDir)).toBe(false);
    },
    WITHIN_MS,
  );

  test(
    'does not keep it from ending, and ends with it',
    async () => {
      const { child, said } = await program(`
        const broker = await lib.startBroker({ ephemeral: true, shortLived: true, source: 'java' });
        say(broker.nodes[0].pid);`);
      const java = identify(said as number);
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(0);
      await until(() => java === undefined || !isAlive(java));
    },
    WITHIN_MS,
  );
});

describe('a start that is given up', () => {
  test(
    'ends what had begun before it says so',
    async () => {
      const dataDir = temporaryFolder();
      const stop = new AbortController();
      const starting = startBroker({ dataDir, source: 'java', signal: stop.signal });
      await until(() => (readState(dataDir)?.processes ?? []).some(({ identity }) => identity !== undefined));
      const processes = survivorsOf(readState(dataDir)!);
      stop.abort(new Error('enough'));
      await expect(starting).rejects.toThrow('enough');
      expect(processes).toHaveLength(2);
      expect(processes.filter(isAlive)).toEqual([]);
    },
    WITHIN_MS,
  );

  test('before it began starts nothing', async () => {
    await expect(startBroker({ ephemeral: true, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });
});

describe('a broker that cannot start', () => {
  test('for its port names the port and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await expect(startBroker({ ephemeral: true, source: 'java', port })).rejects.toThrow(
      new RegExp(`port ${port} on 127.0.0.1 is in use: .*another port`),
    );
    server.close();
  });

  test(
    'for its settings shows what Kafka said',
    async () => {
      const properties = { 'log.cleaner.threads': 'several' };
      await expect(startBroker({ ephemeral: true, source: 'java', properties })).rejects.toThrow(
        /node-1 did not start: exit code 1[^]*log\.cleaner\.threads/,
      );
    },
    WITHIN_MS,
  );

  test('for lack of anything to run it says what to install', async () => {
    const { said } = await program(`say(await lib.startBroker().then(() => '', (error) => error.message));`, {
      PATH: '/nowhere',
      DOCKER_HOST: 'unix:///nowhere.sock',
    });
    expect(said).toMatch(
      /Java 17 or newer +none.*Docker +no engine answers.*Java and Maven: .*Docker, .*KAFKA_BROKERS/s,
    );
  });
});

describe('the broker of the environment', () => {
  test(
    'is used, given the registry it lacks, and outlives a stop',
    async () => {
      // The environment may name one; a test file must get its own.
      delete process.env['SCHEMA_REGISTRY_URL'];
      const broker = await ensureBroker({ registry: true });
      expect(broker).toMatchObject({ source: 'environment', bootstrap: process.env['KAFKA_BROKERS'], nodes: [] });
      const subjects = `${broker.registryUrl ?? ''}/subjects`;
      expect(await (await fetch(subjects)).json()).toEqual([]);
      await broker.stop();
      await expect(fetch(subjects)).rejects.toThrow();
      const [host = '', port = ''] = broker.bootstrap.split(',')[0]!.split(':');
      expect(await askBrokers({ host, port: Number(port) })).toBeDefined();
    },
    WITHIN_MS,
  );

  test('that does not answer is named', async () => {
    const [port] = await freePorts(1);
    const source = `say(await lib.ensureBroker().then(() => '', (error) => error.message));`;
    const { said } = await program(source, { ...process.env, KAFKA_BROKERS: `127.0.0.1:${port ?? 0}` });
    expect(said).toMatch(new RegExp(`KAFKA_BROKERS=127.0.0.1:${port ?? 0}: none of them accepts connections`));
  });
});
