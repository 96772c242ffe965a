// Attributes that stay out or are hashed, and keys that are erased, on a real broker through kills (E1).
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { KafkaLogScan, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill, killAll, type Running } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound, verifyIn } from './verify.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 7);
const PARTITIONS = 2;
const KEY = 'a key of more than sixteen bytes';
const OTHER_KEY = 'another key of sixteen bytes or more';
const KILLS = 3;
/** From its start a processor needs about a second to own its tasks. */
const LIFE_MS = 2_500;

let scenario: Scenario;

afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const hashed = (value: string, key = KEY): string => createHmac('sha256', key).update(value).digest('hex').slice(0, 32);

function send(events: readonly { readonly key: string; readonly value: string }[]): Promise<void> {
  return scenario.producing((producer) =>
    producer.send(events.map(({ key, value }) => ({ key: Buffer.from(key), value: Buffer.from(value) }))),
  );
}

/** All that a topic still holds, as one text of bytes. */
async function heldBy(topic: string): Promise<string> {
  const connection = openCluster(scenario.kafka);
  try {
    const scan = new KafkaLogScan({ clock: systemClock, connection });
    const found: string[] = [];
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const { logStartOffset, lastStableOffset } = await scan.bounds({ topic, partition });
      for (let position = logStartOffset; position < lastStableOffset;) {
        const { cursor, nextOffset } = await scan.read({ topic, partition }, position);
        while (cursor.next()) {
          const { bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
          const parts = [
            bytes.subarray(keyStart, keyStart + keyLength),
            bytes.subarray(valueStart, valueStart + valueLength),
          ];
          found.push(Buffer.concat(parts).toString('latin1'));
        }
        position = nextOffset;
      }
    }
    return found.join('\n');
  } finally {
    connection.close();
  }
}

/** All files of an instance's local stores, as one text of bytes. */
function storesOf(instance: string): string {
  const folder = scenario.stateDir(instance);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((each) => readFileSync(join(each.parentPath, each.name)).toString('latin1')).join('\n');
}

describe('attributes of an input', () => {
  const MAIL = 'anna.smith@shop.example';
  const IBAN = 'DE12345678901234567890';
  const event = (fields: object): string => JSON.stringify({ type: 'VIEW', ...fields });
  const gate = (hashKey: string): Parameters<Scenario['configure']>[0] => ({
    input: {
      topic: scenario.input,
      attributes: { allow: ['page'], hash: ['mail'], hashKey: { env: hashKey } },
    },
  });

  test('[E1][C5] are kept out, or hashed, wherever anything is kept or shown; a dead letter has its record whole', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 600_000, partitions: PARTITIONS });
    scenario.configure(gate('HASH_KEY'));
    const { config } = scenario;
    await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
    const env = { HASH_KEY: KEY };
    const first = scenario.start('a', env);
    await send([
      { key: 'anna', value: event({ attributes: { page: '/pay', mail: MAIL, iban: IBAN } }) },
      { key: 'lives', value: event({ attributes: { mail: MAIL, iban: IBAN } }) },
      { key: 'anna', value: event({ attributes: { iban: 7 }, note: IBAN }) },
      { key: 'anna', value: `{"attributes":{"mail":"${MAIL}` },
      { key: 'anna', value: event({ type: 'ENDED' }) },
    ]);
    const { summaries } = await scenario.outputs((found) => found.summaries.length === 1);
    expect([...summaries[0]!.summary.attributes]).toEqual([
      ['page', '/pay'],
      ['mail', hashed(MAIL)],
    ]);
    // Without the key, and with it: neither shows more.
    const got = await succeed(['sessions', 'get', 'lives', '--config', config, '--json']);
    expect(JSON.parse(got.stdout)).toMatchObject({ attributes: { mail: hashed(MAIL) } });
    expect(await scenario.stop(first)).toBe(0);
    const [, output, changelog, deadLetters] = scenario.topics;
    const kept = [await heldBy(output!), await heldBy(changelog!), storesOf('a'), first.printed(), got.stdout].join(
      '\n',
    );
    for (const secret of [MAIL, IBAN, KEY]) expect(kept).not.toContain(secret);
    expect(kept).toContain(hashed(MAIL));
    const letters = await readWhole(scenario.kafka, { topic: deadLetters!, partitions: PARTITIONS });
    expect(letters.flat()).toHaveLength(2);
    expect(
      letters
        .flat()
        .map(({ value }) => Buffer.from(value!).toString())
        .join(),
    ).toContain(IBAN);
    for (const { headers } of letters.flat())
      for (const { value } of headers) expect(Buffer.from(value!).toString()).not.toMatch(/anna|DE12/);
    const right = await verifyIn(env, scenario);
    expect(right).toMatchObject({ violations: [], undecided: [], code: 0 });

    // From the next start on with another key: what that has hashed is right, and of what the first has only the form is known.
    const rotated = { HASH_KEY: OTHER_KEY };
    const second = scenario.start('a', rotated);
    await send([{ key: 'lives', value: event({ type: 'ENDED', attributes: { mail: 'other@shop.example' } }) }]);
    const after = await scenario.outputs((found) => found.summaries.length === 2);
    expect(after.summaries[1]!.summary.attributes.get('mail')).toBe(hashed('other@shop.example', OTHER_KEY));
    expect(await scenario.stop(second)).toBe(0);
    const other = await verifyIn(rotated, scenario);
    expect(other).toMatchObject({ violations: [], code: 0 });
    expect(other.undecided.join()).toMatch(
      /what the attributes mail were hashed to from input offset 0 on, with the key/,
    );
    expect(other.undecided.join()).toMatch(/only the form is checked \(E1\)/);
  });

  test('[E1][I4] without the key nothing starts, and nothing is shown of it', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 600_000, partitions: PARTITIONS });
    scenario.configure(gate('NO_SUCH_KEY'));
    const { code, stderr } = await scenario.start().finished;
    expect(code).toBe(2);
    expect(stderr).toContain('pipelines[0].input.attributes.hashKey');
  });
});

describe('a key that is erased', () => {
  test(`[E1][F1] is in nothing of ours once the receipt is given, whatever is killed meanwhile (SEED=${SEED})`, async () => {
    const pipeline = { truncateLagMs: 1_500, truncateLagBytes: 1_048_576, changelogFactor: 100 };
    scenario = await Scenario.create({ timeoutMs: 3_600_000, partitions: PARTITIONS, pipeline });
    const random = seededRandom(SEED);
    const { config } = scenario;
    const value = (key: string): string => JSON.stringify({ type: 'VIEW', attributes: { of: key } });
    const keys = Array.from({ length: 3_000 }, (_, i) => `visitor-${i}.`);
    await send([{ key: 'anna-smith', value: value('anna-smith') }, ...keys.map((key) => ({ key, value: value(key) }))]);
    let running: Running = scenario.start();
    await running.line(/task runs/);
    const changelog = scenario.topics[2]!;
    while (!(await heldBy(changelog)).includes('anna-smith')) await sleep(100);
    const erasing = flatline(['sessions', 'erase', 'anna-smith', '--config', config, '--json']);
    for (let i = 0; i < KILLS; i += 1) {
      await sleep(random.below(LIFE_MS));
      await kill(running.child);
      running = scenario.start();
    }
    const { code, stdout, stderr } = await erasing.finished;
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const receipt = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
    expect(receipt).toMatchObject({ kind: 'erasure', key: 'anna-smith', state: 'erased', found: true });
    expect(await heldBy(changelog)).not.toContain('anna-smith');
    expect(await heldBy(scenario.output)).not.toContain('anna-smith');
    // Once more: nothing lives, and the receipt comes all the same.
    const again = await succeed(['sessions', 'erase', 'anna-smith', '--config', config, '--json']);
    expect(JSON.parse(again.stdout.trim().split('\n').at(-1)!)).toMatchObject({ state: 'erased', found: false });
    expect(await scenario.stop(running)).toBe(0);
    const listed = await succeed(['sessions', 'list', '--limit', '0', '--config', config, '--json']);
    expect(JSON.parse(listed.stdout.trim().split('\n').at(-1)!)).toMatchObject({ total: keys.length });
    const verified = await expectSound(scenario);
    expect(verified).toMatchObject({ incarnations: keys.length + 1, open: keys.length, closed: 0 });
  });

  test('[E1][C6] lives where its act is refused, as one is from a clock ahead: there is no receipt, and the command says why', async () => {
    const pipeline = { truncateLagMs: 1_500, truncateLagBytes: 1_048_576, maxFutureMs: 60_000 };
    const settings = { timeoutMs: 3_600_000, partitions: PARTITIONS, timestampType: 'CreateTime' } as const;
    scenario = await Scenario.create({ ...settings, pipeline });
    const { config } = scenario;
    const changelog = scenario.topics[2]!;
    const running = scenario.start();
    await running.line(/task runs/);
    await send([{ key: 'anna-smith', value: JSON.stringify({ type: 'VIEW' }) }]);
    while (!(await heldBy(changelog)).includes('anna-smith')) await sleep(100);
    const erase = ['sessions', 'erase', 'anna-smith', '--config', config, '--json'];
    const ahead = encodeURIComponent('const now = Date.now; Date.now = () => now() + 1_800_000;');
    const refused = await flatline(erase, { NODE_OPTIONS: `--import data:text/javascript,${ahead}` }).finished;
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('was refused: the session that began before it lives');
    const letters = await succeed(['dead-letters', 'list', '--config', config, '--json']);
    expect(letters.stdout).toContain('"bad-timestamp"');
    const got = await succeed(['sessions', 'get', 'anna-smith', '--config', config, '--json']);
    expect(JSON.parse(got.stdout)).toMatchObject({ eventCount: 1 });
    const taken = await succeed(erase);
    expect(JSON.parse(taken.stdout.trim().split('\n').at(-1)!)).toMatchObject({ state: 'erased', found: true });
    expect(await heldBy(changelog)).not.toContain('anna-smith');
    expect(await scenario.stop(running)).toBe(0);
    expect(await expectSound(scenario)).toMatchObject({ incarnations: 1, open: 0, closed: 0 });
  });
});
