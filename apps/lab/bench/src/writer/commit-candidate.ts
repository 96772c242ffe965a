/** What one commit writes, in one transaction: a changelog block, outputs, the input offset. */
export interface CommitWorkload {
  readonly name: string;
  readonly blockBytes: number;
  readonly outputRecords: number;
  readonly outputBytes: number;
}

export interface CommitTarget {
  readonly changelogTopic: string;
  readonly outputTopic: string;
  readonly inputTopic: string;
  readonly group: string;
  readonly partition: number;
}

/** One transactional producer, committing one transaction at a time. */
export interface CandidateWriter {
  commit(workload: CommitWorkload, offset: number): Promise<void>;
  close(): Promise<void>;
}

export interface CommitCandidate {
  readonly name: string;
  open(transactionalId: string, target: CommitTarget): Promise<CandidateWriter>;
  close(): Promise<void>;
}
