// Who may ask this port, and what this instance shows others: as the configuration and its files say, now.
//
// Owns: the reading of certificates and tokens again, while the port is open.
// Does not own: the rules (http), what routes answer.
import type { Clock } from '@flatline/base';
import type { HttpConfig, HttpSecrets } from '@flatline/config';
import { contextOf, GroupCertificates, IssuerTokens, reread, RequestAdmitting } from '@flatline/http';
import type { RuntimeLog } from '@flatline/runtime';
import type { Server } from 'node:tls';
import { OtherInstances } from '../directory/other-instances.ts';
import type { Whole } from './observed.ts';

export interface HttpAccessParts {
  readonly whole: Pick<Whole, 'look'>;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

export class HttpAccess {
  readonly others: OtherInstances;
  /** undefined: callers are not asked who they are. */
  readonly admitting: RequestAdmitting | undefined;
  readonly #issued: IssuerTokens | undefined;
  readonly #stop: () => void;
  #secrets: HttpSecrets = { certificate: undefined, tokens: [], group: undefined };
  #server: Server | undefined;

  /** @throws Retriable where a file cannot be read */
  constructor({ protection }: Pick<HttpConfig, 'protection'>, { whole, clock, log }: HttpAccessParts) {
    const { auth, tls } = protection ?? {};
    this.others = new OtherInstances(tls, clock);
    this.#issued = auth?.oidc && new IssuerTokens({ ...auth.oidc, clock, log });
    const peers = new GroupCertificates(() => toldHosts(whole));
    this.admitting = auth && new RequestAdmitting({ issued: this.#issued, peers });
    if (protection === undefined) {
      this.#stop = () => undefined;
      return;
    }
    this.#stop = reread({
      read: protection.secrets,
      take: (secrets) => {
        this.#take(secrets, log);
      },
      clock,
      onTrouble: (why) => {
        log.warn('certificate and tokens of HTTP stay what they were', { why });
      },
    });
  }

  get certificate(): HttpSecrets['certificate'] {
    return this.#secrets.certificate;
  }

  /** New connections get the certificate that the files have by then. */
  serve(server: Server): void {
    this.#server = server;
  }

  close(): void {
    this.#stop();
    this.#issued?.close();
    this.others.close();
  }

  #take(secrets: HttpSecrets, log: RuntimeLog): void {
    const isNew = JSON.stringify(secrets.certificate) !== JSON.stringify(this.#secrets.certificate);
    if (secrets.certificate !== undefined && isNew) {
      const context = contextOf(secrets.certificate);
      this.#server?.setSecureContext(context);
      if (this.#server !== undefined) log.info('HTTP has another certificate');
    }
    this.admitting?.take(secrets);
    this.others.take(secrets);
    this.#secrets = secrets;
  }
}

/** Names and addresses at which the group has told its instances to be. */
async function toldHosts(whole: Pick<Whole, 'look'>): Promise<readonly string[]> {
  const { processes } = await whole.look();
  const told = processes.flatMap(({ pipelines }) => pipelines.flatMap(({ instances }) => instances));
  const hosts = told.flatMap(({ endpoint }) => (URL.canParse(endpoint) ? [new URL(endpoint).hostname] : []));
  return [...new Set(hosts)].map((host) => host.replace(/^\[|\]$/g, ''));
}
