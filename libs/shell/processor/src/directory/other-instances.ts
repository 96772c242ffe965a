// Asks other instances of the group over HTTP.
//
// Owns: the connections to them, and which of them are silent: no one waits for those.
// Does not own: who is asked (the group tells addresses; nothing is sent to any other).
import type { Clock, DurationMs } from '@flatline/base';
import type { HttpProtection, HttpSecrets } from '@flatline/config';
import { HttpAsker, jsonOf, NoAnswer, SilentEndpoints } from '@flatline/system';
import type { EntryAnswer } from './entry-answer.ts';
import { bufferOf } from './entry-json.ts';
import type { Asking } from './here.ts';
import type { HerePage, PageAsking } from './here-pages.ts';
import { keyChunks } from './key-chunks.ts';
import { pageBody } from './page-body.ts';
import { ANSWER_WITHIN_MS, PROVED_WITHIN_MS } from './waits.ts';

/** Names the group of the instance that asks, and says that the answer is not to be looked for elsewhere: one hop at most. */
export const FORWARDED_HEADER = 'flatline-forwarded';
const PAGE_WITHIN_MS: DurationMs = 2_000;

interface Wait {
  /** When the wait began for all that is asked, of which this may be a part. */
  readonly askedAtMs: DurationMs;
  readonly withinMs: DurationMs;
}

interface Posted extends Wait {
  readonly path: string;
  readonly body: object;
}

export class OtherInstances {
  readonly #tls: HttpProtection['tls'];
  readonly #clock: Clock;
  readonly #silent = new SilentEndpoints();
  #asker: HttpAsker;
  #token: string | undefined;

  constructor(tls: HttpProtection['tls'], clock: Clock) {
    this.#tls = tls;
    this.#clock = clock;
    this.#asker = new HttpAsker({}, clock);
  }

  /** By what this instance shows the others who it is, and knows them by. Requests under way end as they began, and their connections idle out. */
  take({ certificate, group }: Pick<HttpSecrets, 'certificate' | 'group'>): void {
    this.#token = group;
    // Without authorities of its own it may not be asked who it is: its certificate is for those that ask it.
    this.#asker = new HttpAsker(certificate?.ca === undefined ? {} : certificate, this.#clock);
  }

  /** @throws where it does not answer in time, or not with answers */
  async ask(endpoint: string, group: string, asking: Asking): Promise<readonly EntryAnswer[]> {
    this.#requireSafe(endpoint);
    if (!this.#silent.isSilent(endpoint)) return this.#askAll(endpoint, group, asking);
    if (this.#silent.isTryDue(endpoint, this.#clock.monotonicMs()))
      this.#askAll(endpoint, group, asking).catch(() => undefined);
    throw new Error('it has answered nothing of late');
  }

  async #askAll(endpoint: string, group: string, asking: Asking): Promise<readonly EntryAnswer[]> {
    const { keys, isNow } = asking;
    const limitMs = isNow ? PROVED_WITHIN_MS : ANSWER_WITHIN_MS;
    const chunks = keyChunks(keys);
    // When the first was asked: whoever has answered one within this time is not silent, however little the last was left (SE1).
    const askedAtMs = this.#clock.monotonicMs();
    if (chunks.length === 1) return this.#askOnce(endpoint, group, asking, { askedAtMs, withinMs: limitMs });
    const answers: EntryAnswer[] = [];
    for (const chunk of chunks) {
      const withinMs = Math.max(1, askedAtMs + limitMs - this.#clock.monotonicMs());
      answers.push(...(await this.#askOnce(endpoint, group, { ...asking, keys: chunk }, { askedAtMs, withinMs })));
    }
    return answers;
  }

  /** A page of a partition that it has. @throws where it does not answer in time, or not with one */
  async page(endpoint: string, group: string, asking: PageAsking): Promise<HerePage> {
    this.#requireSafe(endpoint);
    const path = `${encodeURIComponent(asking.pipeline)}:page`;
    const wait = { askedAtMs: this.#clock.monotonicMs(), withinMs: PAGE_WITHIN_MS };
    return (await this.#post(endpoint, group, { path, body: pageBody(asking), ...wait })) as HerePage;
  }

  /** Pieces of what it tells those who watch it, until `signal`. @throws where it does not */
  async watch(endpoint: string, group: string, signal: AbortSignal): Promise<AsyncIterable<string>> {
    this.#requireSafe(endpoint);
    const response = await this.#asker.stream(`${endpoint}/api/v1/watch`, { headers: this.#headers(group), signal });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`HTTP ${response.statusCode ?? 0}`);
    }
    return response.setEncoding('utf8');
  }

  close(): void {
    this.#asker.close();
  }

  async #askOnce(
    endpoint: string,
    group: string,
    { pipeline, keys, isNow }: Asking,
    wait: Wait,
  ): Promise<readonly EntryAnswer[]> {
    const path = `${encodeURIComponent(pipeline)}:lookup`;
    const body = { keys: keys.map(keyInBody), ...(isNow && { proof: 'now' }) };
    const answer = await this.#post(endpoint, group, { path, body, ...wait });
    const { entries = [] } = answer as { readonly entries?: readonly EntryAnswer[] };
    if (entries.length !== keys.length) throw new Error('it answers something else');
    return entries;
  }

  /** The JSON of its answer. */
  async #post(endpoint: string, group: string, { path, body, askedAtMs, withinMs }: Posted): Promise<unknown> {
    const headers = { 'content-type': 'application/json', ...this.#headers(group) };
    const question = { method: 'POST', headers, body: JSON.stringify(body), withinMs } as const;
    const answer = await this.#asker.ask(`${endpoint}/api/v1/entries/${path}`, question).catch((error: unknown) => {
      if (error instanceof NoAnswer) this.#silent.waitedInVain(endpoint, askedAtMs, this.#clock.monotonicMs());
      throw error;
    });
    this.#silent.heard(endpoint, this.#clock.monotonicMs());
    if (answer.status === 401 || answer.status === 403) throw new Error(`HTTP ${answer.status}: ${UNKNOWN_THERE}`);
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`);
    return jsonOf(answer);
  }

  #headers(group: string): Readonly<Record<string, string>> {
    return {
      [FORWARDED_HEADER]: group,
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    };
  }

  /** @throws where the address is none to send anything to */
  #requireSafe(endpoint: string): void {
    if (this.#tls === 'here' && !endpoint.startsWith('https://'))
      throw new Error(
        'the group tells an address without TLS for it, and this instance has http.tls: give it one, too',
      );
  }
}

/** Characters of which JSON makes one byte each: keyChunks counts on no more than base64 takes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** As text where it is plain: base64 takes both ends several times as long. */
function keyInBody(key: Uint8Array): string | { readonly base64: string } {
  const bytes = bufferOf(key);
  const text = bytes.toString('latin1');
  return PLAIN.test(text) ? text : { base64: bytes.toString('base64') };
}

const UNKNOWN_THERE =
  'it does not know this instance as one of its group: give all of them http.tls.ca, with certificates for the addresses that ' +
  'they advertise, or the same http.auth.group';
