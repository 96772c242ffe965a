import { type DurationMs } from '@flatline/base';
import { type KafkaConnection, type KafkaRequest, type Lane } from '../connection/index.ts';
import {
  decodeAcknowledged,
  decodeJoinGroup,
  decodeSyncGroup,
  heartbeatRequest,
  type JoinAnswer,
  joinGroupRequest,
  type JoinTerms,
  leaveGroupRequest,
  type Membered,
  syncGroupRequest,
} from './group-requests.ts';
import { decodeOffsetCommit, offsetCommitRequest, type Offsets } from './offset-commit.ts';

/** Beyond the rebalance timeout, for the coordinator to answer everybody. */
const REBALANCE_MARGIN_MS: DurationMs = 5_000;

/** A member in one generation of this group. */
type Incarnated = Pick<Membered, 'memberId' | 'generation'>;

/** One group's requests to its coordinator. Joining and syncing may be kept waiting, so they have a lane of their own. */
export class GroupClient {
  readonly #connection: KafkaConnection;
  readonly #terms: Omit<JoinTerms, 'memberId' | 'metadata'>;
  #coordinator: number | undefined;

  /** `connection` must be this client's alone: another group's JoinGroup would keep it waiting. */
  constructor(connection: KafkaConnection, terms: Omit<JoinTerms, 'memberId' | 'metadata'>) {
    this.#connection = connection;
    this.#terms = terms;
  }

  forgetCoordinator(): void {
    this.#coordinator = undefined;
  }

  /** Returns when the rebalance it starts or joins is complete. @throws by consequence. */
  join(memberId: string, metadata: Uint8Array): Promise<JoinAnswer> {
    const request = joinGroupRequest({ ...this.#terms, memberId, metadata });
    return this.#send(request, decodeJoinGroup, 'join', 'waiting');
  }

  sync(member: Incarnated, assignments: Parameters<typeof syncGroupRequest>[1]): Promise<Buffer> {
    return this.#send(
      syncGroupRequest({ ...this.#terms, ...member }, assignments),
      decodeSyncGroup,
      'synchronise',
      'waiting',
    );
  }

  heartbeat(member: Incarnated): Promise<void> {
    return this.#send(heartbeatRequest({ ...this.#terms, ...member }), decodeAcknowledged, 'beat', 'prompt');
  }

  commit(member: Incarnated, topic: string, offsets: Offsets): Promise<void> {
    return this.#send(
      offsetCommitRequest({ ...this.#terms, ...member }, topic, offsets),
      decodeOffsetCommit,
      'commit',
      'prompt',
    );
  }

  leave(memberId: string): Promise<void> {
    return this.#send(leaveGroupRequest({ ...this.#terms, memberId }), decodeAcknowledged, 'leave', 'prompt');
  }

  async #send<T>(
    request: KafkaRequest,
    decode: (payload: Buffer, doing: string) => T,
    what: string,
    lane: Lane,
  ): Promise<T> {
    const { group, rebalanceTimeoutMs, sessionTimeoutMs } = this.#terms;
    const doing = `${what} in group ${group}`;
    this.#coordinator ??= await this.#connection.coordinator('group', group);
    // A heartbeat that takes longer than half a session leaves no time for another.
    const timeoutMs = lane === 'waiting' ? rebalanceTimeoutMs + REBALANCE_MARGIN_MS : sessionTimeoutMs / 2;
    return this.#connection.send(this.#coordinator, request, (payload) => decode(payload, doing), {
      doing,
      lane,
      timeoutMs,
    });
  }
}
