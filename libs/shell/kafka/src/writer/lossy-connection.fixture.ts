import { Retriable } from '@flatline/base';
import { clusterOptions, closing } from '../broker.fixture.ts';
import { type AnswerDecoder, type KafkaRequest, type SendOptions } from '../connection/index.ts';
import { KafkaConnection } from '../connection/kafka-connection.ts';

/** A connection to the real broker on which answers get lost after the broker did what was asked. */
export class LossyConnection extends KafkaConnection {
  readonly #toLose: string[] = [];
  lost = 0;

  static open(): LossyConnection {
    return closing(new LossyConnection(clusterOptions));
  }

  /** Loses the answer to the next request of that name; asked twice, to the next two. */
  loseNext(apiName: string): void {
    this.#toLose.push(apiName);
  }

  override async send<T>(
    nodeId: number,
    request: KafkaRequest,
    decode: AnswerDecoder<T>,
    options?: SendOptions,
  ): Promise<T> {
    const answer = await super.send(nodeId, request, decode, options);
    const index = this.#toLose.indexOf(request.apiName);
    if (index < 0) return answer;
    this.#toLose.splice(index, 1);
    this.lost += 1;
    throw new Retriable(`the answer to ${request.apiName} got lost`);
  }
}
