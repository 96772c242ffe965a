import { describe, expect, test } from '@jest/globals';
import {
  breaker,
  drop,
  FIRST,
  foundIn,
  givenUp,
  GONE_AT,
  idOf,
  keep,
  type Logged,
  logged,
  type Logs,
  OPERATOR,
  run,
  SECOND,
  soundLogs,
  START,
} from './delivery-logs.fixture.ts';
import { rewrite } from '../deliveries/evidence.fixture.ts';

const A = `a/${idOf(0)}`;
const B = `b/${idOf(1)}`;
/** Places in the log of what is kept. */
const [FAILS, HELD, FAILS_AGAIN, OPENS, B_FAILS, OPENS_AGAIN, DISABLED, B_GOES, ENABLED, CLOSES, REPLAYED] = [
  0, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12,
] as const;
const [B_GOES_AGAIN, A_GOES] = [13, 14];
/** After each attempt that has failed; there is none after the tenth. */
const WAITS_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18e6, 36e6, 504e5, 72e6, 864e5, 864e5];
const utf8 = new TextEncoder();

type Change = (logs: Logs) => void;

async function foundAfter(change: Change) {
  const logs = soundLogs();
  change(logs);
  return foundIn(logs);
}

/** Each change is found in these words, and nothing else is. */
function finds(cases: Readonly<Record<string, readonly [Change, ...string[]]>>): void {
  test.each(Object.entries(cases))('[V10] %s', async (_title, [change, ...words]) => {
    expect(await foundAfter(change)).toMatchObject({ found: words, undecided: [] });
  });
}

const header = (record: Logged, name: string, value: string): void => {
  record.headers.find((each) => each.name === name)!.value = utf8.encode(value);
};

const said = (record: Logged, change: (delivery: Record<string, unknown>) => void): void => {
  rewrite(record, 'delivery', change);
};

test('[V10][N2][N3][N4][N5] nothing is found where nothing is wrong', async () => {
  expect(await foundIn(soundLogs())).toEqual({ found: [], undecided: [], counts: [3, 1] });
});

describe('[N3] nothing that is kept is forgotten', () => {
  finds({
    'what has come out, was taken, and is neither kept again nor let go of': [
      ({ kept }) => kept.splice(A_GOES, 1),
      `N3 kept 3 ${A} has come out at offset 1 of due, was taken there, and nothing has kept it since or let it go`,
    ],
    'a breaker that has come out, and is not kept again': [
      (logs) => {
        logs.kept.push(breaker('c', 400_000, { kind: 'closed', failures: 1, failingSince: START, failedAt: START }));
        logs.due.push({ ...run('c', 0, 15, 500_000), key: utf8.encode('c') });
        logs.takenDue = { before: 4, behind: 4 };
      },
      'N3 kept 15 c has come out at offset 3 of due, was taken there, and nothing has kept it since or let it go',
    ],
    'what is given up, and goes on waiting': [
      ({ kept }) => {
        for (const place of [B_GOES, B_GOES_AGAIN]) kept[place] = logged({ key: null, value: '', ms: 50_000 });
      },
      `N3 undeliverable 0 ${B} is given up, and the same transaction has not let it go`,
      'N2 kept 8 b was disabled by 410, and nothing is given up for it',
      `N3 kept 12 ${B} has come out at offset 2 of due, was taken there, and nothing has kept it since or let it go`,
    ],
    'attempts that are no longer said': [
      ({ kept }) => {
        said(kept[FAILS_AGAIN]!, (delivery) => (delivery['attempts'] = [{ at: START + 5_100, ms: 10 }]));
      },
      `N3 kept 3 ${A} has forgotten attempts: it had 1, and says 1`,
    ],
    'attempts that the same process begins to count again': [
      ({ kept }) => {
        said(kept[HELD]!, (delivery) => (delivery['attempts'] = []));
      },
      `N3 kept 2 ${A} has forgotten attempts: it had 1, and says 0`,
      `N3 kept 3 ${A} says 2 attempts at once: the outcome of each is written before the next`,
    ],
    'attempts of which two are said at once': [
      ({ kept }) => {
        said(kept[FAILS]!, (delivery) => (delivery['attempts'] = [FIRST, SECOND].map((each) => ({ ...each, ms: 10 }))));
      },
      `N3 kept 0 ${A} says 2 attempts at once: the outcome of each is written before the next`,
      `N3 kept 2 ${A} has forgotten attempts: it had 2, and says 1`,
    ],
    'a record of another name': [
      ({ kept }) => {
        kept.splice(HELD, 0, { ...kept[FAILS]!, key: utf8.encode(`b/${idOf(0)}`) });
        kept.splice(HELD + 1, 1);
      },
      `N3 kept 2 b/${idOf(0)} is no delivery of that name`,
    ],
  });

  test('[V10] what is above the position of what is due is on its way', async () => {
    const { found } = await foundAfter((logs) => {
      logs.kept.splice(A_GOES, 1);
      logs.takenDue = { before: 1, behind: 3 };
    });
    expect(found).toEqual([]);
  });

  test('[V10] a replay begins again, also of what waits', async () => {
    const { found, undecided } = await foundAfter(({ kept }) => {
      kept.splice(A_GOES, 0, keep({ endpoint: 'a', output: 0, ms: 315_000, attempts: [], by: OPERATOR }));
    });
    expect({ found, undecided }).toEqual({ found: [], undecided: [] });
  });

  test('[V10] an attempt that was under way as it was replayed goes on from those before', async () => {
    const replayed = keep({ endpoint: 'a', output: 0, ms: 5_060, attempts: [], by: OPERATOR });
    const { found } = await foundAfter((logs) => {
      logs.kept.splice(FAILS_AGAIN, 0, replayed);
      logs.due.length = 1;
      logs.takenDue = { before: 1, behind: 1 };
    });
    expect(found).toEqual([]);
  });

  test('[V10] what had come out when it was let go of is kept once more, with its attempts', async () => {
    const late = keep({ endpoint: 'a', output: 0, ms: 320_050, attempts: [FIRST, SECOND], phase: 'held' });
    const { found } = await foundAfter(({ kept }) => kept.push(late, drop('a', 0, 321_000)));
    expect(found).toEqual([]);
  });
});

describe('[N2] attempts', () => {
  finds({
    'a wait that is too short': [
      ({ kept }) => {
        header(kept[FAILS_AGAIN]!, 'flatline-delay-ms', '200000');
      },
      `N2 kept 3 ${A} waits 200000 ms after attempt 2, not 240000 to 7560000`,
    ],
    'a wait that is too long': [
      ({ kept }) => {
        header(kept[FAILS_AGAIN]!, 'flatline-delay-ms', '7600000');
      },
      `N2 kept 3 ${A} waits 7600000 ms after attempt 2, not 240000 to 7560000`,
    ],
    'an attempt that was a success': [
      ({ kept }) => {
        said(kept[B_FAILS]!, ({ attempts }) => ((attempts as { status: number }[])[0]!.status = 204));
      },
      `N2 kept 6 ${B} counts an attempt as failed that was answered 204`,
    ],
    'one that waits behind a 410': [
      ({ kept }) => {
        said(kept[B_FAILS]!, ({ attempts }) => ((attempts as { status: number }[])[0]!.status = 410));
      },
      `N2 kept 6 ${B} waits, and its endpoint wants nothing more: it answered 410`,
    ],
    'one that is attempted while its endpoint is disabled': [
      ({ kept }) => {
        kept.splice(
          ENABLED,
          0,
          keep({ endpoint: 'b', output: 2, ms: GONE_AT + 500, attempts: [{ at: GONE_AT + 400 }], delayMs: 5_000 }),
        );
      },
      `N2 kept 10 b/${idOf(2)} was attempted, and is kept, while its endpoint is disabled`,
    ],
    'one that was given up for its attempts, and has had two': [
      ({ undeliverable }) => {
        header(undeliverable[0]!, 'reason', 'attempts');
      },
      `N2 kept 9 ${B} is given up after 2 attempts: attempts`,
      'N2 kept 8 b was disabled by 410, and nothing is given up for it',
    ],
    'one that was given up for a reason that there is not': [
      ({ undeliverable, kept }) => {
        header(undeliverable[0]!, 'reason', 'tired');
        kept.splice(DISABLED, 1, logged({ key: null, value: '', ms: 50_000 }));
        kept.splice(CLOSES, 1, logged({ key: null, value: '', ms: 50_000 }));
      },
      `N2 kept 9 ${B} is given up after 2 attempts: tired`,
    ],
    'one that was given up as its endpoint was disabled, and it was not': [
      ({ undeliverable, kept }) => {
        header(undeliverable[0]!, 'reason', 'disabled');
        kept.splice(DISABLED, 1, logged({ key: null, value: '', ms: 50_000 }));
      },
      `N2 kept 9 ${B} is given up after 2 attempts: disabled`,
    ],
    'one whose endpoint no process knew, for an hour': [
      (logs) => {
        const stranded = keep({ endpoint: 'c', output: 2, ms: 400_000, attempts: [] });
        const lost = givenUp({ endpoint: 'c', output: 2, ms: 4_000_000, attempts: [] }, 'no-endpoint');
        for (const record of [stranded, lost]) said(record, (delivery) => (delivery['strandedAt'] = START + 400_000));
        logs.kept.push(stranded, drop('c', 2, 4_000_000));
        logs.undeliverable.push(lost);
      },
      `N2 kept 16 c/${idOf(2)} is given up after 0 attempts: no-endpoint`,
    ],
    'an eleventh attempt': [
      ({ kept }) => {
        for (let failed = 1; failed <= 10; failed += 1) {
          const attempts = WAITS_MS.slice(0, failed).map((_, at) => ({ at }));
          kept.push(keep({ endpoint: 'c', output: 2, ms: 400_000, attempts, delayMs: WAITS_MS[failed - 1]! }));
        }
      },
      `N2 kept 24 c/${idOf(2)} waits for another attempt after 10, and there are 10`,
    ],
  });

  test('[V10] what is written late has as much less to wait, and a clock that is ahead is none to measure by', async () => {
    const { found } = await foundAfter(({ kept }) => {
      kept[FAILS_AGAIN]!.timestamp = START + 105_120;
      header(kept[FAILS_AGAIN]!, 'flatline-delay-ms', '210000');
    });
    expect(found).toEqual([]);
    const ahead = await foundAfter(({ kept }) => {
      kept[FAILS_AGAIN]!.timestamp = START - 3_600_000;
      header(kept[FAILS_AGAIN]!, 'flatline-delay-ms', '0');
    });
    expect(ahead.found).toEqual([]);
  });

  test('[V10] one whose endpoint no process knew for a day is given up', async () => {
    const { found, counts } = await foundAfter((logs) => {
      const stranded = keep({ endpoint: 'c', output: 2, ms: 400_000, attempts: [] });
      const lost = givenUp({ endpoint: 'c', output: 2, ms: 86_800_000, attempts: [] }, 'no-endpoint');
      for (const record of [stranded, lost]) said(record, (delivery) => (delivery['strandedAt'] = START + 400_000));
      logs.kept.push(stranded, drop('c', 2, 86_800_000));
      logs.undeliverable.push(lost);
    });
    expect({ found, counts }).toEqual({ found: [], counts: [4, 2] });
  });
});

describe('[N4] breakers', () => {
  const says =
    (place: number, change: (said: Record<string, unknown>) => void): Change =>
    ({ kept }) => {
      rewrite(kept[place]!, 'breaker', change);
    };
  finds({
    'one that is open for too long': [
      says(OPENS, (each) => (each['until'] = START + 36_100)),
      'N4 kept 5 b a breaker opens time 1 in a row, as number 1, for 6090 ms',
    ],
    'one that does not double': [
      says(OPENS_AGAIN, (each) => (each['until'] = START + 45_010)),
      'N4 kept 7 b a breaker opens time 2 in a row, as number 2, for 5000 ms',
    ],
    'one that skips a number': [
      says(OPENS_AGAIN, (each) => Object.assign(each, { opened: 3, until: START + 60_010 })),
      'N4 kept 7 b a breaker opens time 2 in a row, as number 3, for 20000 ms',
    ],
    'one that is disabled for failures of a minute': [
      says(DISABLED, (each) => (each['why'] = 'failing')),
      'N4 kept 8 b a breaker is disabled (failing) after 29990 ms of failures',
    ],
    'one that works again, and no command has enabled it': [
      ({ kept }) => kept.splice(ENABLED, 1, logged({ key: null, value: '', ms: 60_000 })),
      'N2 kept 11 b the breaker of b is closed: it was disabled, and no command has enabled it',
    ],
  });

  test('[V10] one that has come back is kept again as it is', async () => {
    const { found } = await foundAfter(({ kept }) => kept.splice(OPENS + 1, 0, { ...kept[OPENS]! }));
    // All behind it lie one further.
    expect(found.filter((each) => each.startsWith('N4'))).toEqual([]);
  });
});

describe('[N5] little is kept of what came back', () => {
  test.each(['answer', 'error'])(
    '[V10] an %s of 257 characters is too long, and one of 256 that are no single units is not',
    async (of) => {
      const keeps =
        (text: string): Change =>
        ({ kept }) => {
          said(kept[FAILS_AGAIN]!, ({ attempts }) => ((attempts as Record<string, unknown>[])[1]![of] = text));
        };
      expect((await foundAfter(keeps('x'.repeat(257)))).found).toEqual([
        `N5 kept 3 ${A} keeps 257 characters of what an attempt came to`,
      ]);
      expect((await foundAfter(keeps('\u{1f642}'.repeat(256)))).found).toEqual([]);
    },
  );
});

describe('[V10] the same for the same id', () => {
  finds({
    'another body at a later attempt': [
      ({ kept }) => (kept[FAILS_AGAIN]!.value = utf8.encode('{}')),
      `V10 kept 3 ${A} has another body, key or output than before`,
    ],
    'another body than its output says': [
      ({ kept }) => {
        for (const place of [FAILS, HELD, FAILS_AGAIN]) kept[place]!.value = utf8.encode('{"type":"session.closed"}');
      },
      `V10 kept 0 ${A} its body is another than its output says`,
    ],
    'the id of another output': [
      ({ outputs }) =>
        (outputs[0]!.value = utf8.encode(JSON.stringify({ incarnation: '0-7', state: 'CLOSED', reason: 'ENDED' }))),
      `V10 kept 0 ${A} its output is called visits:0-7:0`,
    ],
    'another key': [
      ({ outputs }) => (outputs[0]!.key = utf8.encode('x')),
      `V10 kept 0 ${A} its output has another key`,
    ],
    'an output that is a tombstone': [
      ({ outputs }) => (outputs[0]!.value = null),
      `V10 kept 0 ${A} its output is none that is sent`,
    ],
    'an output that was never committed': [
      (logs) => {
        logs.kept.push(keep({ endpoint: 'a', output: 9, ms: 400_000, attempts: [] }));
        logs.taken.behind = 10;
      },
      `V10 kept 15 a/${idOf(9)} there is no committed output at offset 9`,
      'N3 kept   the notifier has taken outputs up to offset 10, and they end at 3',
    ],
    'one that is given up with another body': [
      ({ undeliverable }) => (undeliverable[0]!.value = utf8.encode('{}')),
      `V10 kept 9 ${B} is given up with another body, key or output than it was kept with`,
    ],
  });

  test('[V10] records of another application are passed over', async () => {
    const { found } = await foundAfter(({ kept }) => {
      header(kept[REPLAYED]!, 'application', 'other');
      kept.push(keep({ endpoint: 'a', output: 9, ms: 400_000, attempts: [] }));
      header(kept.at(-1)!, 'application', 'other');
    });
    expect(found).toEqual([]);
  });
});

describe('[N3] positions', () => {
  finds({
    'of outputs that there are not': [
      (logs) => (logs.taken = { before: 3, behind: 4 }),
      'N3 kept   the notifier has taken outputs up to offset 4, and they end at 3',
    ],
    'of what is due, which there is not': [
      (logs) => (logs.takenDue = { before: 4, behind: 3 }),
      'N3 kept   the notifier has taken what is due up to offset 4, and they end at 3',
    ],
  });

  test('[V10] one that was put back is told of', async () => {
    const { found, undecided } = await foundAfter((logs) => (logs.taken = { before: 1, behind: 1 }));
    expect(found).toEqual([]);
    expect(undecided).toEqual([expect.stringContaining('the output at offset 1 is taken again')]);
  });
});

describe('logs that have lost their beginning', () => {
  test.each([1, 3, 4, 6, 7, 9, 10, 13])(
    '[V10] are judged from there on: from offset %i of what is kept',
    async (start) => {
      const { found } = await foundAfter(({ starts }) => (starts.kept = start));
      expect(found).toEqual([]);
    },
  );

  test('[V10] what outputs said that are gone is undecided', async () => {
    const { found, undecided } = await foundAfter((logs) => (logs.starts.outputs = 1));
    expect(found).toEqual([]);
    expect(undecided).toEqual([expect.stringContaining('those are gone')]);
  });
});

const DAY_MS = 86_400_000;
const gone = (ms: number) => breaker('b', ms, { kind: 'disabled', why: 'gone', since: START + GONE_AT });

/** `b` stays disabled, and its breaker is kept again when it comes out. */
const staysDisabled: Change = (logs) => {
  logs.kept.splice(ENABLED, 4);
  logs.kept.push(gone(GONE_AT + 100 * DAY_MS));
  logs.undeliverable.splice(1);
  logs.due.splice(2);
  logs.takenDue = { before: 2, behind: 2 };
};

/** A delivery that was given up is delivered once it is sent again, is sent again all the same, and given up. */
const sentAgainTwice: Change = ({ kept, undeliverable }) => {
  const at = START + 400_090;
  kept.push(keep({ endpoint: 'b', output: 1, ms: 400_000, attempts: [], by: OPERATOR }));
  kept.push(breaker('b', 400_100, { kind: 'disabled', why: 'gone', since: at }), drop('b', 1, 400_100));
  const attempts = [{ at: 400_050, status: 410 }];
  undeliverable.push(givenUp({ endpoint: 'b', output: 1, ms: 400_100, attempts }, 'gone'));
};

/** Sent again twice while an attempt is under way. */
const begunAgainTwice: Change = ({ kept }) => {
  const by = OPERATOR;
  kept.splice(FAILS_AGAIN, 0, keep({ endpoint: 'a', output: 0, ms: 5_060, attempts: [], by }));
  kept.splice(FAILS_AGAIN, 0, keep({ endpoint: 'a', output: 0, ms: 5_061, attempts: [], by: [3, 0] }));
};

describe('[V10] sound logs that look as if they were not', () => {
  test.each<[string, Change]>([
    ['a breaker by 410 is kept again after a hundred days', staysDisabled],
    [
      'the same where the record that disabled it is gone',
      (logs) => {
        staysDisabled(logs);
        logs.starts.kept = logs.kept.length - 2;
      },
    ],
    [
      'all that was kept is gone, and what was given up is not',
      ({ starts, kept }) => {
        starts.kept = kept.length;
      },
    ],
    [
      'a 410 came between the two cuts',
      (logs) => {
        logs.kept.splice(ENABLED);
        logs.keptDecidedBelow = DISABLED;
        logs.undeliverable = [];
        logs.due.splice(1);
        logs.takenDue = { before: 1, behind: 1 };
      },
    ],
    ['what was delivered once it was sent again is sent again all the same', sentAgainTwice],
    [
      'a command to enable was on its way when its endpoint was disabled',
      ({ kept }) => {
        const clock = logged({ key: null, value: '', ms: 60_000 });
        // Behind the last breaker that is open, and before the 410.
        const [command] = kept.splice(ENABLED, 1, clock);
        kept.splice(DISABLED, 0, command!);
      },
    ],
  ])('%s', async (_title, change) => {
    expect(await foundAfter(change)).toMatchObject({ found: [], undecided: [] });
  });

  test('one is sent again twice while an attempt is under way', async () => {
    const { found } = await foundAfter(begunAgainTwice);
    expect(found.filter((each) => each.includes(A) && !each.includes('has come out'))).toEqual([]);
  });

  test('what a compacted topic has of those given up is undecided', async () => {
    const { found, undecided } = await foundAfter((logs) => {
      logs.undeliverable = [];
      logs.isUndeliverableCompacted = true;
    });
    expect(found).toEqual([]);
    expect(undecided).toEqual([expect.stringContaining('has disabled: the topic is compacted')]);
  });
});
