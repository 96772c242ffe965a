// The section `kafka.sasl`: what its mechanism needs, and takes.
import { tokenEndpointProblem } from '@flatline/system';
import { shownValue } from './configuration-error.ts';
import type { SaslConfig } from './flatline-config.ts';
import type { SaslSection } from './schema.ts';
import type { SecretReader } from './secrets.ts';

type Setting = Exclude<keyof SaslSection, 'mechanism'>;

interface Settings {
  readonly needed: readonly Setting[];
  readonly optional: readonly Setting[];
}

const BY_PASSWORD: Settings = { needed: ['username', 'password'], optional: [] };
const SETTINGS: Readonly<Record<SaslSection['mechanism'], Settings>> = {
  plain: BY_PASSWORD,
  'scram-sha-256': BY_PASSWORD,
  'scram-sha-512': BY_PASSWORD,
  oauthbearer: { needed: ['tokenEndpoint', 'clientId', 'clientSecret'], optional: ['scope', 'extensions'] },
};

export interface SaslFinding {
  readonly setting: string;
  readonly value: string | undefined;
  readonly problem: string;
}

export function saslChecks(sasl: SaslSection | undefined): SaslFinding[] {
  if (sasl === undefined) return [];
  const { mechanism, ...given } = sasl;
  const { needed, optional } = SETTINGS[mechanism];
  const names = Object.keys(given) as Setting[];
  const takes = [...needed, ...optional];
  const found = [
    ...needed
      .filter((name) => given[name] === undefined)
      .map((name) => ({ name, problem: `is missing; mechanism "${mechanism}" needs it` })),
    ...names
      .filter((name) => given[name] !== undefined && !takes.includes(name))
      .map((name) => ({ name, problem: `is no setting of mechanism "${mechanism}"; it takes ${takes.join(', ')}` })),
  ].map(({ name, problem }) => ({ setting: `kafka.sasl.${name}`, value: undefined, problem }));
  return [...found, ...endpointChecks(sasl)];
}

function endpointChecks({ tokenEndpoint }: SaslSection): SaslFinding[] {
  if (tokenEndpoint === undefined) return [];
  const problem = tokenEndpointProblem(tokenEndpoint);
  if (problem === undefined) return [];
  return [{ setting: 'kafka.sasl.tokenEndpoint', value: shownValue(tokenEndpoint), problem }];
}

/** Missing settings are left to the checks. */
export function saslOf(sasl: SaslSection | undefined, secrets: SecretReader): SaslConfig | undefined {
  if (sasl === undefined) return undefined;
  if (sasl.mechanism !== 'oauthbearer') {
    const { mechanism, username = '', password } = sasl;
    const secret = password && secrets.read('kafka.sasl.password', password);
    return { mechanism, username, password: secret ?? '' };
  }
  const { mechanism, tokenEndpoint = '', clientId = '', clientSecret, scope, extensions } = sasl;
  const secret = clientSecret && secrets.read('kafka.sasl.clientSecret', clientSecret);
  return { mechanism, tokenEndpoint, clientId, clientSecret: secret ?? '', scope, extensions };
}
