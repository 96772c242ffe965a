import { describe, expect, test } from '@jest/globals';
import { judgeDeliveries, waitingIn } from './delivery-judge.ts';
import type { DeliveryEvidence } from './evidence.ts';
import {
  attemptOf,
  begun,
  breaker,
  type Draft,
  dropped,
  endpointOf,
  FAILED_AT,
  FAILING,
  givenUp,
  heard,
  type Heard,
  idOf,
  kept,
  rewrite,
  secretOf,
  soundEvidence,
  START,
} from './evidence.fixture.ts';

const [FIRST, SECOND, THIRD] = [idOf(0, 0), idOf(0, 1), idOf(0, 2)];
const OF_C = 1;
/** Among the records of `c`. */
const OPENS = FAILED_AT.length;

type Change = (evidence: Draft<DeliveryEvidence>) => void;

/** All that is found once one thing is wrong. */
function foundAfter(change: Change): readonly string[] {
  const evidence = soundEvidence();
  change(evidence);
  return judgeDeliveries(evidence);
}

/** Each change is found in these words, and nothing else is. */
function finds(cases: Readonly<Record<string, readonly [Change, ...string[]]>>): void {
  test.each(Object.entries(cases))('%s', (_title, [change, ...words]) => {
    expect(foundAfter(change)).toEqual(words);
  });
}

const endpoint = (evidence: Draft<DeliveryEvidence>, name: string) =>
  evidence.endpoints.find((each) => each.name === name)!;

/** The only request for the third output, as `a` hears it. */
function hears(wrong: Heard): Change {
  return (evidence) => {
    const attempt = attemptOf(evidence, 'a', THIRD);
    const body = new TextDecoder().decode(attempt.heard!.body);
    Object.assign(attempt.heard!, heard(THIRD, attempt.at, body, wrong));
  };
}

/** The failed attempt of the second output, as it is kept. */
function keeps(failed: object): Change {
  return ({ kept: all }) => {
    rewrite(all[0]![0]!, 'delivery', (said) => {
      said['attempts'] = [{ at: START + 2_000, ...failed }];
    });
  };
}

test('[N1][N2][N3][N4][N5][V10] nothing is found where nothing is wrong', () => {
  expect(judgeDeliveries(soundEvidence())).toEqual([]);
  expect(waitingIn(soundEvidence())).toEqual([]);
});

describe('[V10] what is sent is a committed output', () => {
  finds({
    'one that was never committed': [
      ({ begun: all }) => all.push(begun('a', idOf(0, 9), START + 9_000)),
      `[V10] a: ${idOf(0, 9)} is no committed output`,
    ],
    'another body': [hears({ body: '{}' }), `[V10] a: ${THIRD} has another body than its output`],
  });
});

describe('[N1] a request is signed, stamped and called as Standard Webhooks have it', () => {
  finds({
    'for an endpoint that does not want it': [
      (evidence) => (endpoint(evidence, 'a').on = ['TIMEOUT']),
      `[N1] a: ${THIRD} is not for it`,
    ],
    'under another id': [
      (evidence) => (attemptOf(evidence, 'a', THIRD).heard!.headers['webhook-id'] = FIRST),
      `[N1] a: ${THIRD} is sent as ${FIRST}`,
    ],
    'stamped by another instant': [
      hears({ stampedAt: START + 5_000 }),
      `[N1] a: ${THIRD} of ${START + 2_100} is stamped ${(START + 5_000) / 1_000}`,
    ],
    'not signed by the older secret': [
      hears({ signatures: [['v1a', 'second']] }),
      `[N1] a: ${THIRD} is not signed by one of its secrets (v1)`,
    ],
    'signed as another version': [
      hears({
        signatures: [
          ['v1', 'first'],
          ['v1', 'second'],
        ],
      }),
      `[N1] a: ${THIRD} is not signed by one of its secrets (v1a)`,
    ],
    'signed by a secret that is none of its own': [
      (evidence) => (endpoint(evidence, 'b').secrets = [secretOf('v1', 'third')]),
      `[N1] b: ${SECOND} is not signed by one of its secrets (v1)`,
    ],
  });

  test('[N1] an id has no dots', () => {
    const id = 'visits.eu:0-0:0';
    const evidence = {
      ...soundEvidence(),
      pipeline: 'visits.eu',
      endpoints: [endpointOf('a', { on: ['TIMEOUT'], supersede: true, secrets: [] })],
      begun: [{ ...begun('a', FIRST, START + 1_500, 200), id }],
    };
    evidence.begun[0]!.heard!.headers['webhook-id'] = id;
    expect(judgeDeliveries(evidence)).toContain(`[N1] a: ${id} is sent as ${id}`);
  });
});

describe('[N2] ten attempts, with waits between', () => {
  const failed = START + 2_010;
  finds({
    'more attempts than were made': [
      ({ begun: all }) =>
        all.splice(
          all.findIndex((each) => each.endpoint === 'a' && each.id === SECOND),
          1,
        ),
      `[N2] a: ${SECOND} has 1 attempts of 0 that were made`,
    ],
    'too soon': [
      (evidence) => Object.assign(attemptOf(evidence, 'a', SECOND, 1), begun('a', SECOND, failed + 2_899, 200)),
      `[N2] a: ${SECOND} is attempted 2899 ms after its failure number 1, not 4000`,
    ],
    'sooner than was asked for': [
      (evidence) => (attemptOf(evidence, 'a', SECOND).heard!.answer!.retryAfterMs = 10_000),
      `[N2] a: ${SECOND} is attempted 5090 ms after its failure number 1, not 10000`,
    ],
    'kept for an endpoint that wants nothing more': [
      keeps({ status: 410 }),
      `[N2] a: ${SECOND} waits, and its endpoint wants nothing more`,
    ],
    'given up before the tenth': [
      ({ undeliverable }) => (undeliverable[OF_C]![1] = givenUp(idOf(1, 1), FAILING + 9_150, 'attempts', 9)),
      `[N2] c: ${idOf(1, 1)} is given up after 9 attempts: attempts`,
    ],
    'given up for no reason': [
      ({ undeliverable }) => (undeliverable[OF_C]![1] = givenUp(idOf(1, 1), FAILING + 9_150, 'no-endpoint', 10)),
      `[N2] c: ${idOf(1, 1)} is given up after 10 attempts: no-endpoint`,
    ],
    'given up by an endpoint that never said that it wants nothing more': [
      (evidence) => (endpoint(evidence, 'c').saidGone = false),
      ...FAILED_AT.map((_, i) =>
        i === 0
          ? `[N2] c: ${idOf(1, i)} is given up after 2 attempts: gone`
          : `[N2] c: ${idOf(1, i)} is given up after 1 attempts: disabled`,
      ),
    ],
    'attempted although it is disabled': [
      (evidence) => {
        evidence.begun.push(begun('c', idOf(1, 1), FAILING + 9_500));
        evidence.kept[OF_C] = evidence.kept[OF_C]!.slice(0, OPENS + 2);
      },
      `[N2] c: ${idOf(1, 1)} is attempted, and it is disabled`,
    ],
  });

  test('[N2] what failed ten times may be given up, and a wait may be a second short of what the ladder says', () => {
    expect(
      foundAfter((evidence) => {
        evidence.undeliverable[OF_C]![1] = givenUp(idOf(1, 1), FAILING + 9_150, 'attempts', 10);
        Object.assign(attemptOf(evidence, 'a', SECOND, 1), begun('a', SECOND, failed + 2_900, 200));
      }),
    ).toEqual([]);
  });
});

describe('[N3] nothing is lost, and nothing is attempted that is not kept', () => {
  finds({
    'neither delivered nor given up': [
      ({ begun: all }) => all.splice(all.indexOf(all.findLast(({ id }) => id === SECOND)!), 1),
      `[N3] a: ${SECOND} is neither delivered nor given up`,
    ],
    'replaced where nothing may be': [
      (evidence) => (endpoint(evidence, 'b').supersede = false),
      `[N3] b: ${FIRST} is neither delivered nor given up`,
      `[N3] b: ${FIRST} is neither kept nor done with, and was passed over at ${START + 2_050}`,
    ],
    'passed over before it is answered': [
      ({ positions }) => (positions[1]!.at = START + 2_104),
      `[N3] a: ${THIRD} is neither kept nor done with, and was passed over at ${START + 2_104}`,
    ],
    'passed over before its successor is taken': [
      ({ positions }) => positions.unshift({ partition: 0, offset: 1, at: START + 1_990 }),
      `[N3] b: ${FIRST} is neither kept nor done with, and was passed over at ${START + 1_990}`,
    ],
    'attempted when it was passed over, and is not kept': [
      ({ begun: all }) => all.push(begun('a', THIRD, START + 3_000, 200)),
      `[N3] a: ${THIRD} is attempted at ${START + 3_000}, is not kept, and was passed over at ${START + 2_150}`,
    ],
    'attempted when it was done with': [
      ({ begun: all }) => all.push(begun('a', SECOND, START + 7_171, 200)),
      `[N3] a: ${SECOND} is attempted at ${START + 7_171}, and was done with at ${START + 7_150}`,
    ],
    'kept without its former attempts': [
      ({ kept: [records] }) => records!.splice(1, 0, kept('a', SECOND, START + 2_055, [])),
      `[N3] a: ${SECOND} has forgotten attempts`,
    ],
    'more at risk than may be under way': [
      (evidence) => (endpoint(evidence, 'a').maxInFlight = 1),
      `[N3] a: 2 would be sent again as ${SECOND} begins at ${START + 2_000}`,
    ],
    'attempted long after another has fenced its courier': [
      ({ begun: all }) => (all.find(({ isStale }) => isStale)!.fencedMs = 12_001),
      `[N3] a: ${FIRST} is attempted 12001 ms after another has fenced its courier`,
    ],
  });

  test('[N3] what is still to be delivered is named', () => {
    const evidence = soundEvidence();
    evidence.begun = evidence.begun.filter(({ endpoint: name }) => name !== 'a');
    expect(waitingIn(evidence)).toEqual([`a/${FIRST}`, `a/${SECOND}`, `a/${THIRD}`]);
  });

  test('[N3] one that has lost its partition may repeat what was done with or passed over', () => {
    expect(
      foundAfter(({ begun: all }) => {
        for (const id of [SECOND, THIRD])
          all.push({ ...begun('a', id, START + 8_000, 200), run: 'q#1', isStale: true, fencedMs: 100 });
      }),
    ).toEqual([]);
  });
});

describe('[N3] a delivery that had come out and was given up', () => {
  finds({
    'is not attempted again': [
      ({ kept: [, records], begun: all }) => {
        records!.splice(0, 1, kept('c', idOf(1, 0), FAILING + 50, [FAILING], 5_000));
        all.push(begun('c', idOf(1, 0), FAILING + 9_171, 500));
      },
      `[N3] c: ${idOf(1, 0)} is attempted at ${FAILING + 9_171}, and was done with at ${FAILING + 9_150}`,
      `[N2] c: ${idOf(1, 0)} is attempted, and it is disabled`,
    ],
  });
});

describe('[N4][S3] a delivery whose place another has taken', () => {
  /** Among the records of the second output: after it was kept until then, and before it is woken. */
  const dropsAt =
    (ms: number, untilMs: number): Change =>
    ({ kept: [records] }) => {
      records!.splice(0, 1, kept('a', SECOND, START + 2_050, [START + 2_000], untilMs - 2_050));
      records!.splice(1, 0, dropped('a', SECOND, START + ms));
    };

  test('is attempted all the same if it had come out by the time the log says so', () => {
    expect(foundAfter(dropsAt(2_055, 2_055))).toEqual([]);
  });

  finds({
    'is not attempted if it had not': [
      dropsAt(2_055, 2_056),
      `[N3] a: ${SECOND} is attempted at ${START + 7_100}, and was done with at ${START + 2_055}`,
    ],
  });
});

describe('[N4] breakers, pace and order', () => {
  const open = { kind: 'open', until: FAILING + 9_010, opened: 1, failedAt: FAILING + 4_010 };
  finds({
    'open for less than its first wait': [
      ({ kept: all }) => (all[OF_C]![OPENS] = breaker('c', FAILING + 4_050, { ...open, until: FAILING + 8_009 })),
      '[N4] c: its breaker opens time 1 in a row, as number 1, for 3999 ms',
    ],
    'open for no longer than the time before': [
      ({ kept: all }) => (all[OF_C]![OPENS] = breaker('c', FAILING + 4_050, { ...open, opened: 2 })),
      '[N4] c: its breaker opens time 1 in a row, as number 2, for 5000 ms',
    ],
    'opened by no failure': [
      ({ kept: all }) => (all[OF_C]![OPENS] = breaker('c', FAILING + 4_050, { ...open, failedAt: FAILING - 11 })),
      '[N4] c: its breaker opens time 1 in a row, as number 1, for 9021 ms',
      `[N4] c: no attempt has failed at ${FAILING - 11}, as its breaker says`,
    ],
    'attempted while it is open': [
      (evidence) =>
        Object.assign(attemptOf(evidence, 'c', idOf(1, 0), 1), begun('c', idOf(1, 0), FAILING + 8_989, 410)),
      `[N4] c: ${idOf(1, 0)} is attempted at ${FAILING + 8_989}, and its breaker is open until ${FAILING + 9_010}`,
    ],
    'two probes at once': [
      ({ begun: all }) => all.push({ ...begun('c', idOf(1, 1), FAILING + 9_120, 500) }),
      '[N4] c: 2 probe its breaker at once',
    ],
    'failures in a row, and no breaker': [
      ({ kept: all }) => all[OF_C]!.splice(OPENS, 2),
      '[N4] c: 8 failures in a row, and no breaker opens',
    ],
    'failures in a row, and it closes': [
      ({ kept: all }) => all[OF_C]!.splice(OPENS, 1, breaker('c', FAILING + 4_050, undefined)),
      '[N4] c: 8 failures in a row, and no breaker opens',
    ],
    'more under way than may be': [
      (evidence) => {
        for (const id of [FIRST, SECOND]) attemptOf(evidence, 'a', id).endedAt = START + 2_101;
      },
      `[N4] a: 3 are under way from p as ${THIRD} begins`,
    ],
    'more in a second than may be': [
      ({ begun: all }) => {
        for (let ms = 0; ms < 6; ms += 1)
          all.push({ ...begun('a', THIRD, START + 5_000 + 20 * ms), run: 'q#1', isStale: true, fencedMs: 100 });
      },
      '[N4] a: 6 begin within a second from q',
    ],
    'before its predecessor is answered': [
      (evidence) => (attemptOf(evidence, 'a', FIRST).heard!.answer!.at = START + 2_001),
      `[N4] a: ${SECOND} is attempted at ${START + 2_000} before ${FIRST}, of its key k, is done with`,
    ],
    'one that was replaced comes after its successor': [
      ({ begun: all }) => all.push(begun('b', FIRST, START + 2_020, 200)),
      `[N4] b: ${SECOND} is attempted at ${START + 2_000} before ${FIRST}, of its key k, is done with`,
    ],
  });

  test('[N4] without an order deliveries of a key overtake each other', () => {
    expect(
      foundAfter((evidence) => {
        endpoint(evidence, 'a').order = 'none';
        attemptOf(evidence, 'a', FIRST).heard!.answer!.at = START + 2_001;
      }),
    ).toEqual([]);
  });
});

describe('[N5] little is kept of an answer', () => {
  const long = 'x'.repeat(257);
  finds(
    Object.fromEntries(
      ['answer', 'error'].map((name): [string, [Change, string]] => [
        `an ${name} of 257 characters`,
        [keeps({ [name]: long }), `[N5] a: ${SECOND} keeps 257 characters`],
      ]),
    ),
  );

  test('[N5] 256 of them are', () => {
    expect(foundAfter(keeps({ answer: long.slice(1) }))).toEqual([]);
  });
});
