import { Fatal, MalformedBytes, Misconfigured, Retriable } from '@flatline/base';
import { errorOfCode, KafkaCode, type TopicMetadata } from '../connection/index.ts';
import { assign } from './assigner.ts';
import { decodeSubscription, encodeAssignment } from './consumer-protocol.ts';
import { type GroupMember } from './group-requests.ts';
import { decodeMemberStatement, encodeLeaderStatement, type MemberStatement, NOTHING_SAID } from './user-data.ts';

export interface AssignmentTerms {
  readonly topics: readonly string[];
  readonly partitionCount: number;
  readonly standbys: number;
}

/** Assigns a generation: for each member, the bytes that the leader hands it. */
export function assignGroup(
  members: readonly GroupMember[],
  { topics, partitionCount, standbys }: AssignmentTerms,
): readonly { readonly memberId: string; readonly bytes: Uint8Array }[] {
  const statements = new Map(members.map(({ memberId, metadata }) => [memberId, statementOf(metadata)]));
  const claims = [...statements].map(([memberId, statement]) => ({ memberId, ...statement }));
  const assignment = assign(claims, partitionCount, standbys);
  const instances = assignment.map((each) => ({
    endpoint: statements.get(each.memberId)!.endpoint,
    name: statements.get(each.memberId)!.name,
    partitions: each.partitions,
    standbys: each.standbys,
  }));
  return assignment.map(({ memberId, partitions, standbys: standbysOfMember }) => {
    const userData = encodeLeaderStatement({ partitionCount, standbys: standbysOfMember, instances });
    return { memberId, bytes: encodeAssignment({ topics, partitions, userData }) };
  });
}

/**
 * The partition count that the topics share (S8).
 * @throws Fatal where one does not exist or they differ; Retriable where the cluster cannot tell now.
 */
export function sharedPartitionCount(
  group: string,
  topics: readonly string[],
  found: readonly TopicMetadata[],
): number {
  const counts = topics.map((topic) =>
    partitionCountOf(
      topic,
      found.find((each) => each.topic === topic),
    ),
  );
  const [first = 0] = counts;
  if (counts.some((count) => count !== first)) {
    const listed = topics.map((topic, index) => `${topic} has ${counts[index]!}`).join(', ');
    throw new Misconfigured(`the inputs of ${group} must have the same number of partitions: ${listed}`);
  }
  return first;
}

function partitionCountOf(topic: string, metadata: TopicMetadata | undefined): number {
  const code = metadata?.errorCode ?? KafkaCode.unknownTopicOrPartition;
  if (metadata !== undefined && code === KafkaCode.none) return metadata.partitions.length;
  const error = errorOfCode(code, `assign the partitions of ${topic}`);
  throw code === KafkaCode.unknownTopicOrPartition || !(error instanceof Retriable)
    ? new Fatal(error.message, error)
    : error;
}

function statementOf(metadata: Buffer): MemberStatement {
  try {
    return decodeMemberStatement(decodeSubscription(metadata).userData);
  } catch (error) {
    // A member of another program: it gets its share of partitions, and its own trouble with them.
    if (error instanceof MalformedBytes) return NOTHING_SAID;
    throw error;
  }
}
