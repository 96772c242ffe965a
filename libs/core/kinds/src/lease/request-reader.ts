// Reads what a record asks of a lease, from its value and its headers.
//
// Owns: the request, filled again for each record.
// Does not own: what is done about it.
import type { RecordHeader } from '@flatline/ports';
import {
  blankLeaseRequest,
  ENDED,
  type LeaseRequest,
  type LeaseRequestDecoder,
  RELEASE,
  REQUEST_ID_HEADER,
  REQUEST_ID_LENGTH_MAX,
  resetLeaseRequest,
  TOKEN_HEADER,
} from '@flatline/ports/formats';
import { commandBytes, isCommand } from '../acts/command.ts';
import type { Refusal, GroupRecords } from '../contract.ts';
import { bad, decodeInto } from '../refusals.ts';

/** Decimal, without leading zeros: a token has one form. */
const TOKEN = /^(?:0|[1-9]\d{0,15})$/;
const RELEASE_BYTES = commandBytes(RELEASE);
const TOKEN_BYTES_MAX = 16;
/** No unit of UTF-16 takes more in UTF-8. */
const UTF8_BYTES_MAX = 3;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class RequestReader {
  readonly request: LeaseRequest = blankLeaseRequest();
  /** An operator's act: the lease is to be released, whatever its token (Q4). */
  isRelease = false;
  readonly #decoder: LeaseRequestDecoder;

  constructor(decoder: LeaseRequestDecoder) {
    this.#decoder = decoder;
  }

  /** The record at `records.index` becomes `request`, unless it is refused. */
  read({ bytes, group, headers, index }: GroupRecords): Refusal | undefined {
    const length = group.valueLengths[index]!;
    if (length > 0) {
      const refusal = decodeInto(this.request, this.#decoder, bytes, group.valueStarts[index]!, length);
      if (refusal !== undefined) return refusal;
    } else {
      resetLeaseRequest(this.request);
      // An empty value renews, a null value releases.
      if (length < 0) this.request.type = ENDED;
    }
    this.isRelease = false;
    for (const header of headers.headersOf(index)) {
      const refusal = isCommand(header, RELEASE_BYTES) ? this.#readRelease(length) : this.#readHeader(header);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #readRelease(length: number): Refusal | undefined {
    if (length >= 0) return bad('invalid-command', 'what releases a lease (flatline-command: RELEASE) has no value');
    this.isRelease = true;
    return undefined;
  }

  #readHeader({ name, value }: RecordHeader): Refusal | undefined {
    if (name === TOKEN_HEADER) return this.#readToken(value);
    return name === REQUEST_ID_HEADER ? this.#readRequestId(value) : undefined;
  }

  #readToken(value: Uint8Array | null): Refusal | undefined {
    const text = value === null || value.length > TOKEN_BYTES_MAX ? undefined : textOf(value);
    const token = text !== undefined && TOKEN.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(token))
      return bad('invalid-token', `the header ${TOKEN_HEADER} is no integer from 0 to 2^53 - 1 in decimal digits`);
    const { request } = this;
    request.token ??= token;
    if (request.token === token) return undefined;
    return bad('invalid-token', `the record bears the tokens ${request.token} and ${token}`);
  }

  #readRequestId(value: Uint8Array | null): Refusal | undefined {
    const isShort = value !== null && value.length <= UTF8_BYTES_MAX * REQUEST_ID_LENGTH_MAX;
    const id = isShort ? textOf(value) : undefined;
    if (id === undefined || id.length < 1 || id.length > REQUEST_ID_LENGTH_MAX) {
      const wanted = `text of 1 to ${REQUEST_ID_LENGTH_MAX} characters`;
      return bad('invalid-request-id', `the header ${REQUEST_ID_HEADER} is no ${wanted}`);
    }
    const { request } = this;
    request.requestId ??= id;
    return request.requestId === id ? undefined : bad('invalid-request-id', 'the record bears two request ids');
  }
}

/** undefined: not UTF-8. */
function textOf(value: Uint8Array): string | undefined {
  try {
    return utf8.decode(value);
  } catch {
    return undefined; // that is the answer
  }
}
