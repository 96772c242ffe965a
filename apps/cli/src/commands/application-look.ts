// All of an application, as those of its instances see it that answer: each names the members of its groups, and where they answer.
//
// Owns: nothing that lasts.      Does not own: how one is asked (processor-address.ts), how it is shown (status-action.ts).
import { messageOf } from '@flatline/base';
import { askProcessor } from '../processor-address.ts';
import { inOrder, type PartitionRow } from './partition-rows.ts';

/** Instances that are looked for beside those whose addresses are given. */
const OTHERS_MAX = 64;
const BY_URL = 'give its address by --url, too';

interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** One that answered. */
export interface SeenInstance extends Readiness {
  readonly instance: string;
  readonly address: string;
}

/** A member of a group of which nothing more is known. */
export interface Unseen {
  readonly instance: string;
  /** Empty: it does not say. */
  readonly address: string;
  readonly why: string;
}

export interface Seen {
  readonly instances: readonly SeenInstance[];
  readonly unseen: readonly Unseen[];
  readonly partitions: readonly PartitionRow[];
}

interface Member {
  readonly name: string;
  readonly endpoint: string;
}

interface Answered {
  readonly seen: SeenInstance;
  /** Its name in the groups, or those of its workers. */
  readonly names: readonly string[];
  readonly partitions: readonly PartitionRow[];
  readonly members: readonly Member[];
}

/** @throws CommandFailure where none of these addresses answers */
export async function lookAt(addresses: readonly string[]): Promise<Seen> {
  const asked = await Promise.allSettled(addresses.map(askOne));
  const given = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = asked.flatMap((each, at): Unseen[] =>
    each.status === 'rejected' ? [{ instance: '', address: addresses[at]!, why: messageOf(each.reason) }] : [],
  );
  const [first] = asked;
  if (given.length === 0 && first?.status === 'rejected') throw first.reason;
  const { answered, unseen } = await askOthers(given);
  const all = [...given, ...answered];
  return {
    instances: all.map(({ seen }) => seen),
    unseen: [...failed, ...unseen],
    partitions: inOrder(
      all.flatMap(({ seen, partitions }) =>
        all.length === 1 ? partitions : partitions.map((row) => ({ ...row, instance: seen.instance })),
      ),
    ),
  };
}

async function askOne(address: string): Promise<Answered> {
  const [{ body: readiness }, { body: held }, { body: kept }, { body: supervised }] = await Promise.all([
    askProcessor<Readiness>(address, '/readyz'),
    askProcessor<{ readonly instance: string; readonly partitions: readonly PartitionRow[] }>(
      address,
      '/api/v1/partitions',
    ),
    askProcessor<{ readonly pipelines: readonly { readonly instances: readonly Member[] }[] }>(
      address,
      '/api/v1/pipelines',
    ),
    askProcessor<{ readonly workers: readonly { readonly instance: string }[] }>(address, '/api/v1/workers'),
  ]);
  const { instance, partitions } = held;
  const { ready, reasons, warnings } = readiness;
  const members = kept.pipelines.flatMap(({ instances }) => instances);
  const names = [instance, ...supervised.workers.map((worker) => worker.instance)];
  return { seen: { instance, address, ready, reasons, warnings }, names, partitions, members };
}

/** The members that are not among those that answered. Workers answer at their supervisor's address. */
async function askOthers(
  given: readonly Answered[],
): Promise<{ readonly answered: readonly Answered[]; readonly unseen: readonly Unseen[] }> {
  const known = new Set(given.flatMap(({ names }) => names));
  const others = new Map(
    given
      .flatMap(({ members }) => members)
      .filter(({ name }) => !known.has(name))
      .map((member) => [member.endpoint === '' ? member.name : member.endpoint, member]),
  );
  const asked = await Promise.all(
    [...others.values()].slice(0, OTHERS_MAX).map(async (member): Promise<Answered | Unseen> => {
      const unseen = { instance: member.name, address: member.endpoint };
      if (member.endpoint === '') return { ...unseen, why: `it does not say where it answers: ${BY_URL}` };
      try {
        const answered = await askOne(member.endpoint);
        const isIt = answered.names.includes(member.name);
        return isIt
          ? answered
          : { ...unseen, why: `seen from here, ${answered.seen.instance} answers there: ${BY_URL}` };
      } catch (error) {
        return { ...unseen, why: messageOf(error) };
      }
    }),
  );
  return {
    answered: asked.filter((each) => 'seen' in each),
    unseen: asked.filter((each) => 'why' in each),
  };
}
