// An operator's replacements while everything runs: certificates, passwords; and an application's own copies of them.
import { dirname, join } from 'node:path';
import { createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type RunningBroker, type SecuredListener } from '@flatline/dev-broker';
import { openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';

/** The data directory of a secured broker. */
export function dataDirOf({ listeners }: RunningBroker): string {
  return dirname(dirname(listeners[0]!.kafka.ssl.ca));
}

export interface OwnCopies {
  /** The listener, configured with the copies. */
  readonly listener: SecuredListener;
  /** Copies the operator's new files; only these, if they are named. */
  refresh(...names: readonly ('ca' | 'cert' | 'key')[]): void;
  dispose(): void;
}

/** An application's copies of the files: they are replaced when their owner says so. */
export function ownCopiesOf({ name, address, kafka: { ssl, sasl } }: SecuredListener): OwnCopies {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-rotation-'));
  const at = (file: string): string => join(folder, file);
  const sources = { ca: ssl.ca, cert: ssl.cert, key: ssl.key?.file };
  const refresh = (...names: readonly (keyof typeof sources)[]): void => {
    for (const [each, source] of Object.entries(sources))
      if (source !== undefined && (names.length === 0 || names.includes(each as keyof typeof sources)))
        copyFileSync(source, at(each));
  };
  refresh();
  const own: SecuredListener['kafka']['ssl'] = {
    ca: at('ca'),
    ...(ssl.cert !== undefined && { cert: at('cert') }),
    ...(ssl.key !== undefined && { key: { file: at('key') } }),
  };
  return {
    listener: {
      name,
      address,
      kafka: { ssl: own, ...(sasl !== undefined && { sasl: withOwnSecret(sasl, at('secret')) }) },
    },
    refresh,
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Sasl = NonNullable<SecuredListener['kafka']['sasl']>;

function withOwnSecret(sasl: Sasl, file: string): Sasl {
  if (sasl.mechanism === 'oauthbearer') {
    copyFileSync(sasl.clientSecret.file, file);
    return { ...sasl, clientSecret: { file } };
  }
  copyFileSync(sasl.password.file, file);
  return { ...sasl, password: { file } };
}

/** Changes a setting of node 1 by a restart. */
export async function restartWith(broker: RunningBroker, name: string, value: string): Promise<void> {
  const file = join(dataDirOf(broker), 'node-1', 'server.properties');
  const lines = readFileSync(file, 'utf8').split('\n');
  const others = lines.filter((line) => !line.startsWith(`${name}=`));
  if (others.length !== lines.length - 1) throw new Error(`${name} is no setting of the node`);
  await broker.nodes[0]!.stop();
  writeFileSync(file, [...others, `${name}=${value}`, ''].join('\n'));
  await broker.nodes[0]!.start();
}

const SCRAM = {
  'scram-sha-256': { number: 1, hash: 'sha256' },
  'scram-sha-512': { number: 2, hash: 'sha512' },
} as const;
const ITERATIONS = 4_096;
const ALTER_USER_SCRAM_CREDENTIALS = 51;

/** Changes a password of a SCRAM user (KIP-554). kafkajs has no such request. */
export async function alterScramPassword(
  bootstrap: string,
  mechanism: keyof typeof SCRAM,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<void> {
  const { number, hash } = SCRAM[mechanism];
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, createHash(hash).digest().length, hash);
  const iterations = Buffer.alloc(4);
  iterations.writeInt32BE(ITERATIONS);
  const upsertion = [compact(Buffer.from(name)), Buffer.from([number]), iterations, compact(salt), compact(salted)];
  // Tags end the header, each structure and the request; an array of one begins with 2, an empty one is 1.
  const body = [Buffer.from([0, 1, 2]), ...upsertion, Buffer.from([0, 0])];
  const connection = openCluster({ brokers: bootstrap.split(','), clientId: 'rotation', clock: systemClock });
  try {
    const api = { apiKey: ALTER_USER_SCRAM_CREDENTIALS, apiVersion: 0, apiName: 'AlterUserScramCredentials' };
    await connection.sendAny({ ...api, body }, (answer) => {
      // Tags, throttle time, the array's length, the user's name.
      const code = answer.readInt16BE(1 + 4 + 1 + 1 + Buffer.byteLength(name));
      if (code !== 0) throw new Error(`the broker did not take the password of ${name}: ${code}`);
    });
  } finally {
    connection.close();
  }
}

/** All are shorter than 127 bytes, so that their length takes one byte. */
function compact(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([bytes.length + 1]), bytes]);
}
