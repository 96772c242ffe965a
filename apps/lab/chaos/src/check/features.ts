// Looks in the topics of a trial for the features of assembled sessions: a trial in which none of it was there has shown nothing
// of them (V12).
import type { AssembledSight } from '@flatline/lab-kinds';
import type { RawRecord } from '@flatline/oracle';
import type { Application } from '../stage/application.ts';
import { dumpTopic } from '../stage/topic-dump.ts';

type Summary = Readonly<Record<string, unknown>>;

const HASH = /^[0-9a-f]{32}$/;

const IN_SUMMARIES: Readonly<Partial<Record<AssembledSight, (summary: Summary) => boolean>>> = {
  opened: ({ state }) => state === 'OPENED',
  updated: ({ state }) => state === 'UPDATED',
  revised: ({ revision }) => Number(revision) > 0,
  absorbed: ({ absorbed }) => absorbed !== undefined,
  reduced: ({ reduced }) => reduced !== undefined && reduced !== null,
  hashed: ({ attributes }) => Object.values(attributes ?? {}).some((value) => HASH.test(String(value))),
};

/** How often each of them is seen. */
export async function seenIn(
  { kafka, output, deadLetters, partitions }: Application,
  sights: readonly AssembledSight[],
): Promise<Readonly<Record<string, number>>> {
  const read = async (topic: string): Promise<readonly RawRecord[]> =>
    (await dumpTopic(kafka, topic, partitions)).flat();
  const summaries = (await read(output)).flatMap(({ value }) => (value === null ? [] : [parsed(value)]));
  const counts = sights.map(async (sight): Promise<[AssembledSight, number]> => {
    const isSeen = IN_SUMMARIES[sight];
    if (isSeen !== undefined) return [sight, summaries.filter(isSeen).length];
    const records = await read(sight === 'counted' ? `${output}.stats` : deadLetters);
    return [sight, sight === 'counted' ? records.length : records.filter(isLate).length];
  });
  return Object.fromEntries(await Promise.all(counts));
}

function parsed(value: Uint8Array): Summary {
  return JSON.parse(Buffer.from(value).toString()) as Summary;
}

function isLate({ headers }: RawRecord): boolean {
  return headers.some(({ name, value }) => name === 'flatline-reason' && String(Buffer.from(value ?? [])) === 'late');
}
