// Every bound of this library, by name. The size of an attribute is not bounded here: S10 truncates, it does not refuse.

/** Characters (UTF-16 code units) of an event's `type`. */
export const TYPE_LENGTH_MAX = 64;
/** Characters (UTF-16 code units) of an `eventId`. */
export const EVENT_ID_LENGTH_MAX = 256;
/** Characters of a bad value that are shown in a reason's detail. */
export const EXCERPT_LENGTH_MAX = 60;
/** Levels of nesting that are skipped in a field our schema does not have; a recursive writer schema allows any. */
export const SKIP_DEPTH_MAX = 64;
/** Objects and arrays within each other in JSON that is no event: reading it takes as much stack, which must not decide what is refused. */
export const FOREIGN_DEPTH_MAX = 512;
/** Writer schemas kept resolved; the longest-held gives way and is fetched again if it comes back. */
export const CACHED_SCHEMAS_MAX = 256;
/** Schema ids remembered as unknown to the registry. */
export const UNKNOWN_SCHEMAS_MAX = 1024;
/** Time for which an id stays known as unknown: a registry's replica may lag behind the producer that has just registered. */
export const UNKNOWN_SCHEMA_TTL_MS = 5_000;
/** Requests for writer schemas under way at once. */
export const PENDING_SCHEMAS_MAX = 64;
/** Times that the registry is asked again after an error that may pass, unless the configuration says otherwise. */
export const REGISTRY_RETRIES = 3;
/** Longest time for an answer of the registry, retries included, unless the configuration says otherwise. */
export const REGISTRY_TIMEOUT_MS = 5_000;
/** Bytes of one answer of the registry. */
export const REGISTRY_ANSWER_BYTES_MAX = 1024 * 1024;
