// The port of group membership: the group decides who *should* own a partition, the fence decides who *does*.

/** How far this instance's local checkpoint of a partition reaches: the assigner prefers the freshest. */
export interface LocalCheckpoint {
  readonly partition: number;
  /** Changelog offset the local store has been brought to. */
  readonly changelogPosition: number;
}

/** Address, name and partitions of one instance of the group. */
export interface InstancePartitions {
  /** HTTP endpoint; empty if it has none. */
  readonly endpoint: string;
  /** Name shown to operators; empty if it gives none. */
  readonly name: string;
  readonly partitions: readonly number[];
  readonly standbys: readonly number[];
}

export interface Assignment {
  readonly generation: number;
  readonly memberId: string;
  readonly partitions: readonly number[];
  /** Partitions to hold a standby of. */
  readonly standbys?: readonly number[];
  /** Every instance of the group, this one included: whom to ask for a key (Q1). */
  readonly instances?: readonly InstancePartitions[];
}

export interface MembershipListener {
  /** A completed rebalance. Partitions no longer named have moved away; their tasks run on until fenced. */
  assigned(assignment: Assignment): void;
  /**
   * How far this instance follows changelogs in memory, beyond what its local stores hold: asked before each join, so that
   * the assigner finds the standby that is nearest (Ownership).
   */
  positions?(): readonly LocalCheckpoint[];
  /** The member was expelled or lost its coordinator; it rejoins by itself. Tasks run on: the fence decides. */
  lost(reason: string): void;
  /** Membership cannot go on (group of another protocol, not authorized). */
  failed(error: Error): void;
}

export interface Membership {
  /** Joins and stays joined; heartbeats go on by themselves. */
  start(listener: MembershipListener): Promise<void>;
  /**
   * Asks the group with a heartbeat sent after this call (commit protocol, step 3): the assignment still in force for
   * this member, or undefined where it is no longer a member or the group is rebalancing.
   * @throws Retriable where the coordinator cannot be reached.
   */
  confirm(): Promise<Assignment | undefined>;
  /** Leaves at once, so that the others need not wait for a session timeout. Idempotent. */
  leave(): Promise<void>;
}
