// Kafka's error codes (org.apache.kafka.common.protocol.Errors, 4.1) and what each means where it is not treated
// specially. Where it is (a reader on NOT_LEADER_OR_FOLLOWER, a writer on CONCURRENT_TRANSACTIONS), the code is checked first.

export type Consequence = 'fenced' | 'retriable' | 'stopped' | 'misconfigured' | 'fatal';

export interface KafkaErrorCode {
  readonly code: number;
  readonly name: string;
  readonly consequence: Consequence;
}

/** Remedies for the codes that an operator can do something about. */
export const REMEDIES: ReadonlyMap<number, string> = new Map([
  [3, 'create the topic (flatline topics create) or correct its name'],
  [10, 'raise max.message.bytes of the topic'],
  [19, 'bring replicas back, or lower min.insync.replicas of the topic'],
  [20, 'bring replicas back, or lower min.insync.replicas of the topic'],
  [23, 'another program is in this consumer group: choose another application or pipeline name'],
  [
    26,
    'set kafka.sessionTimeoutMs between group.min.session.timeout.ms and group.max.session.timeout.ms of the brokers',
  ],
  [29, 'grant this principal READ, WRITE and DESCRIBE on the topic'],
  [30, 'grant this principal READ on the consumer group'],
  [31, 'grant this principal what the request needs on the cluster'],
  [33, 'set kafka.sasl.mechanism to one that this listener offers'],
  [34, 'this listener asks for no login: leave kafka.sasl out, or name the listener that does (brokers)'],
  [35, 'use brokers of version 3.6 or newer'],
  [38, 'use a replication factor not above the number of brokers'],
  [50, 'lower kafka.transactionTimeoutMs, or raise transaction.max.timeout.ms of the brokers'],
  [53, 'grant this principal WRITE and DESCRIBE on the transactional id'],
  [58, 'check kafka.sasl: mechanism, user name and password'],
]);

const names: Readonly<Record<Consequence, readonly (readonly [number, string])[]>> = {
  fenced: [
    [22, 'ILLEGAL_GENERATION'],
    [25, 'UNKNOWN_MEMBER_ID'],
    [47, 'INVALID_PRODUCER_EPOCH'],
    [82, 'FENCED_INSTANCE_ID'],
    [90, 'PRODUCER_FENCED'],
    [110, 'FENCED_MEMBER_EPOCH'],
    [113, 'STALE_MEMBER_EPOCH'],
  ],
  retriable: [
    // Failures inside the broker, for example while it stops: another broker, or this one later, may succeed.
    [-1, 'UNKNOWN_SERVER_ERROR'],
    [2, 'CORRUPT_MESSAGE'],
    [3, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [5, 'LEADER_NOT_AVAILABLE'],
    [6, 'NOT_LEADER_OR_FOLLOWER'],
    [7, 'REQUEST_TIMED_OUT'],
    [8, 'BROKER_NOT_AVAILABLE'],
    [9, 'REPLICA_NOT_AVAILABLE'],
    [11, 'STALE_CONTROLLER_EPOCH'],
    [13, 'NETWORK_EXCEPTION'],
    [14, 'COORDINATOR_LOAD_IN_PROGRESS'],
    [15, 'COORDINATOR_NOT_AVAILABLE'],
    [16, 'NOT_COORDINATOR'],
    [19, 'NOT_ENOUGH_REPLICAS'],
    [20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
    [27, 'REBALANCE_IN_PROGRESS'],
    [41, 'NOT_CONTROLLER'],
    // These end a producer epoch, and a successor's InitProducerId ends the transaction it left.
    [45, 'OUT_OF_ORDER_SEQUENCE_NUMBER'],
    [46, 'DUPLICATE_SEQUENCE_NUMBER'],
    [48, 'INVALID_TXN_STATE'],
    [49, 'INVALID_PRODUCER_ID_MAPPING'],
    [51, 'CONCURRENT_TRANSACTIONS'],
    [52, 'TRANSACTION_COORDINATOR_FENCED'],
    [55, 'OPERATION_NOT_ATTEMPTED'],
    [56, 'KAFKA_STORAGE_ERROR'],
    [59, 'UNKNOWN_PRODUCER_ID'],
    [60, 'REASSIGNMENT_IN_PROGRESS'],
    [70, 'FETCH_SESSION_ID_NOT_FOUND'],
    [71, 'INVALID_FETCH_SESSION_EPOCH'],
    [72, 'LISTENER_NOT_FOUND'],
    [74, 'FENCED_LEADER_EPOCH'],
    [75, 'UNKNOWN_LEADER_EPOCH'],
    [77, 'STALE_BROKER_EPOCH'],
    [78, 'OFFSET_NOT_AVAILABLE'],
    [79, 'MEMBER_ID_REQUIRED'],
    [80, 'PREFERRED_LEADER_NOT_AVAILABLE'],
    [83, 'ELIGIBLE_LEADERS_NOT_AVAILABLE'],
    [84, 'ELECTION_NOT_NEEDED'],
    [88, 'UNSTABLE_OFFSET_COMMIT'],
    [89, 'THROTTLING_QUOTA_EXCEEDED'],
    [100, 'UNKNOWN_TOPIC_ID'],
    [103, 'INCONSISTENT_TOPIC_ID'],
    [106, 'FETCH_SESSION_TOPIC_ID_ERROR'],
    [108, 'NEW_LEADER_ELECTED'],
    [120, 'TRANSACTION_ABORTABLE'],
    [129, 'REBOOTSTRAP_REQUIRED'],
  ],
  stopped: [
    [1, 'OFFSET_OUT_OF_RANGE'],
    [10, 'MESSAGE_TOO_LARGE'],
    [18, 'RECORD_LIST_TOO_LARGE'],
    [32, 'INVALID_TIMESTAMP'],
    [43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
    [76, 'UNSUPPORTED_COMPRESSION_TYPE'],
    [87, 'INVALID_RECORD'],
    [109, 'OFFSET_MOVED_TO_TIERED_STORAGE'],
  ],
  misconfigured: [
    [17, 'INVALID_TOPIC_EXCEPTION'],
    [23, 'INCONSISTENT_GROUP_PROTOCOL'],
    [24, 'INVALID_GROUP_ID'],
    [26, 'INVALID_SESSION_TIMEOUT'],
    [33, 'UNSUPPORTED_SASL_MECHANISM'],
    [34, 'ILLEGAL_SASL_STATE'],
    [37, 'INVALID_PARTITIONS'],
    [38, 'INVALID_REPLICATION_FACTOR'],
    [40, 'INVALID_CONFIG'],
    [44, 'POLICY_VIOLATION'],
    [50, 'INVALID_TRANSACTION_TIMEOUT'],
    [54, 'SECURITY_DISABLED'],
    [58, 'SASL_AUTHENTICATION_FAILED'],
  ],
  fatal: [
    [4, 'INVALID_FETCH_SIZE'],
    [12, 'OFFSET_METADATA_TOO_LARGE'],
    [21, 'INVALID_REQUIRED_ACKS'],
    [28, 'INVALID_COMMIT_OFFSET_SIZE'],
    [29, 'TOPIC_AUTHORIZATION_FAILED'],
    [30, 'GROUP_AUTHORIZATION_FAILED'],
    [31, 'CLUSTER_AUTHORIZATION_FAILED'],
    [35, 'UNSUPPORTED_VERSION'],
    [36, 'TOPIC_ALREADY_EXISTS'],
    [39, 'INVALID_REPLICA_ASSIGNMENT'],
    [42, 'INVALID_REQUEST'],
    [53, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
    [57, 'LOG_DIR_NOT_FOUND'],
    [61, 'DELEGATION_TOKEN_AUTH_DISABLED'],
    [62, 'DELEGATION_TOKEN_NOT_FOUND'],
    [63, 'DELEGATION_TOKEN_OWNER_MISMATCH'],
    [64, 'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED'],
    [65, 'DELEGATION_TOKEN_AUTHORIZATION_FAILED'],
    [66, 'DELEGATION_TOKEN_EXPIRED'],
    [67, 'INVALID_PRINCIPAL_TYPE'],
    [68, 'NON_EMPTY_GROUP'],
    [69, 'GROUP_ID_NOT_FOUND'],
    [73, 'TOPIC_DELETION_DISABLED'],
    [81, 'GROUP_MAX_SIZE_REACHED'],
    [85, 'NO_REASSIGNMENT_IN_PROGRESS'],
    [86, 'GROUP_SUBSCRIBED_TO_TOPIC'],
    [91, 'RESOURCE_NOT_FOUND'],
    [92, 'DUPLICATE_RESOURCE'],
    [93, 'UNACCEPTABLE_CREDENTIAL'],
    [97, 'PRINCIPAL_DESERIALIZATION_FAILURE'],
    [104, 'INCONSISTENT_CLUSTER_ID'],
    [105, 'TRANSACTIONAL_ID_NOT_FOUND'],
    [111, 'UNRELEASED_INSTANCE_ID'],
    [112, 'UNSUPPORTED_ASSIGNOR'],
  ],
};

const byCode = new Map<number, KafkaErrorCode>(
  (['fenced', 'retriable', 'stopped', 'misconfigured', 'fatal'] as const).flatMap((consequence) =>
    names[consequence].map(([code, name]) => [code, { code, name, consequence }] as const),
  ),
);

/** Total: a code that is not in the table is fatal, and its name shows the number. */
export function kafkaErrorCode(code: number): KafkaErrorCode {
  return byCode.get(code) ?? { code, name: `UNKNOWN_CODE_${code}`, consequence: 'fatal' };
}

/** The codes that are treated specially somewhere in this library. */
export const KafkaCode = {
  none: 0,
  offsetOutOfRange: 1,
  corruptMessage: 2,
  unknownTopicOrPartition: 3,
  leaderNotAvailable: 5,
  notLeaderOrFollower: 6,
  coordinatorLoadInProgress: 14,
  coordinatorNotAvailable: 15,
  notCoordinator: 16,
  illegalGeneration: 22,
  unknownMemberId: 25,
  rebalanceInProgress: 27,
  topicAuthorizationFailed: 29,
  groupAuthorizationFailed: 30,
  topicAlreadyExists: 36,
  invalidProducerEpoch: 47,
  invalidTransactionTimeout: 50,
  concurrentTransactions: 51,
  kafkaStorageError: 56,
  groupIdNotFound: 69,
  memberIdRequired: 79,
  producerFenced: 90,
} as const;
