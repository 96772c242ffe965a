// All of an application, as those of its instances see it that answer: each names the members of its groups, and where they answer.
//
// Owns: nothing that lasts.
// Does not own: how one is asked (processor-address.ts), how it is shown (status-action.ts).
import { messageOf } from '@flatline/base';
import type { ProcessorAddress } from '../processor-address.ts';
import { inOrder, type PartitionRow } from './partition-rows.ts';

/** Addresses that are asked beside those that are given. */
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
export async function lookAt(addresses: readonly ProcessorAddress[]): Promise<Seen> {
  const asked = await Promise.allSettled(addresses.map(askOne));
  const given = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = asked.flatMap((each, at): Unseen[] =>
    each.status === 'rejected' ? [{ instance: '', address: addresses[at]!.url, why: messageOf(each.reason) }] : [],
  );
  const [first] = asked;
  if (given.length === 0 && first?.status === 'rejected') throw first.reason;
  const { answered, unseen } = await askOthers(given, addresses[0]!);
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

interface Held {
  readonly instance: string;
  readonly partitions: readonly PartitionRow[];
}

interface Kept {
  readonly pipelines: readonly { readonly instances: readonly Member[] }[];
}

interface Supervised {
  readonly workers: readonly { readonly instance: string }[];
}

async function askOne(address: ProcessorAddress): Promise<Answered> {
  const [readiness, held, kept, supervised] = await Promise.all([
    address.read<Readiness>('/readyz', 'ready'),
    address.read<Held>('/api/v1/partitions', 'partitions'),
    address.read<Kept>('/api/v1/pipelines', 'pipelines'),
    address.read<Supervised>('/api/v1/workers', 'workers'),
  ]);
  const { instance, partitions } = held;
  const { ready, reasons, warnings } = readiness;
  const members = kept.pipelines.flatMap(({ instances }) => instances);
  const names = [instance, ...supervised.workers.map((worker) => worker.instance)];
  return { seen: { instance, address: address.url, ready, reasons, warnings }, names, partitions, members };
}

interface Others {
  readonly answered: readonly Answered[];
  readonly unseen: readonly Unseen[];
}

/** The members that are not among those that answered: each is either of one that does now, or unseen. */
async function askOthers(given: readonly Answered[], asked: ProcessorAddress): Promise<Others> {
  const known = new Set(given.flatMap(({ names }) => names));
  const members = given.flatMap((each) => each.members).filter(({ name }) => !known.has(name));
  // A member is in the group of each pipeline.
  const others = [...new Map(members.map((member) => [member.name, member])).values()];
  const silent = others.filter(({ endpoint }) => endpoint === '');
  const places = [...Map.groupBy(others, ({ endpoint }) => endpoint)].filter(([address]) => address !== '');
  const found = await Promise.all(places.slice(0, OTHERS_MAX).map(([url, of]) => askPlace(asked.other(url), of)));
  const left = places.slice(OTHERS_MAX).flatMap(([, of]) => of);
  return {
    answered: found.flatMap(({ answered }) => answered),
    unseen: [
      ...silent.map(unseenFor(`it does not say where it answers: ${BY_URL}`)),
      ...found.flatMap(({ unseen }) => unseen),
      ...left.map(unseenFor(`not asked, since ${OTHERS_MAX} other addresses were: ${BY_URL}`)),
    ],
  };
}

/**
 * All members that say this address: the workers of one supervisor, or processes of several machines, each of which has it for
 * itself.
 */
async function askPlace(address: ProcessorAddress, members: readonly Member[]): Promise<Others> {
  try {
    const answered = await askOne(address);
    const others = members.filter(({ name }) => !answered.names.includes(name));
    return {
      answered: others.length < members.length ? [answered] : [],
      unseen: others.map(unseenFor(`seen from here, ${answered.seen.instance} answers there: ${BY_URL}`)),
    };
  } catch (error) {
    return { answered: [], unseen: members.map(unseenFor(messageOf(error))) };
  }
}

function unseenFor(why: string): (member: Member) => Unseen {
  return ({ name, endpoint }) => ({ instance: name, address: endpoint, why });
}
