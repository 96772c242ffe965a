import { type Clock, type DurationMs, isConsequence, Misconfigured, Retriable } from '@flatline/base';
import { firstRecord, type KafkaConnection } from '@flatline/kafka';
import { INCARNATION_HEADER } from '@flatline/ports';
import { withinDeadline } from '@flatline/system';

/** Longest look at a topic: a producer may have no right to read, and must not be delayed by that. */
const LOOK_MS: DurationMs = 2_000;

interface LookParts {
  readonly clock: Clock;
  /** The connection of the client: no other is opened for a look. */
  readonly connection: KafkaConnection;
}

/** Topics of one client: each is looked at once, and again only after it was refused. */
export class InputLooks {
  readonly #looks = new Map<string, Promise<void>>();

  /** @throws Misconfigured where the topic begins with what a processor writes: it is an output. */
  async check(parts: LookParts, topic: string, partitionCount: number): Promise<void> {
    const look = this.#looks.get(topic) ?? checkInput(parts, topic, partitionCount);
    this.#looks.set(topic, look);
    try {
      await look;
    } catch (error) {
      if (this.#looks.get(topic) === look) this.#looks.delete(topic);
      throw error;
    }
  }
}

async function checkInput({ clock, connection }: LookParts, topic: string, partitionCount: number): Promise<void> {
  try {
    const late = (): Retriable => new Retriable(`the first record of ${topic} was not read in time`);
    const looking = firstRecord({ clock, connection, patienceMs: LOOK_MS }, { topic, partitionCount });
    const first = await withinDeadline(clock, LOOK_MS, looking, late);
    if (!first?.headers.some(({ name }) => name === INCARNATION_HEADER)) return;
    const found = `${first.partition}-${first.offset}`;
    const written = `topic ${topic} is written by a processor (${found} has the header ${INCARNATION_HEADER})`;
    throw new Misconfigured(`${written}: give the input topic of the pipeline, not its output`);
  } catch (error) {
    if (error instanceof Misconfigured || !isConsequence(error)) throw error;
  }
}
