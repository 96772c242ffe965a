export type { Credentials, SaslCredentials } from './credentials.ts';
export { type Entry, fixedAccess, KafkaAccess } from './kafka-access.ts';
