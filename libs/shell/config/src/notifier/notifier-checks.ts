// Checks of the section `notifier` against the pipelines and itself.
import { didYouMean } from '@flatline/base';
import { kindOf, type PipelineSection } from '@flatline/kind-modules';
import { isIP } from 'node:net';
import { type CrossFinding, finding } from '../cross-finding.ts';
import type { Configuration } from '../schema.ts';
import type { EndpointSection } from './notifier-form.ts';

export function notifierChecks({ notifier, pipelines }: Configuration): CrossFinding[] {
  const { endpoints = [] } = notifier ?? {};
  return endpoints.flatMap((endpoint, i) => {
    const at = `notifier.endpoints[${i}]`;
    const first = endpoints.findIndex(({ name }) => name === endpoint.name);
    const twice = `another endpoint has this name (notifier.endpoints[${first}])`;
    return [
      ...(first < i ? [finding(`${at}.name`, endpoint.name, twice)] : []),
      ...targetChecks(endpoint, at),
      ...pipelineChecks(endpoint, at, pipelines),
      ...endpoint.allow.flatMap((entry, n) => {
        const problem = allowProblem(entry);
        return problem === undefined ? [] : [finding(`${at}.allow[${n}]`, entry, problem)];
      }),
    ];
  });
}

function targetChecks({ url, command, secrets, allow }: EndpointSection, at: string): CrossFinding[] {
  if ((url === undefined) === (command === undefined)) {
    const problem = 'one of url and command: a webhook, or for trying out a program that reads its standard input';
    return [finding(`${at}.url`, url, problem, [`${at}.command`])];
  }
  if (url === undefined) {
    const problem = 'left out beside command: a program is asked for no signature, and reached at no address';
    const unused = [...(secrets.length > 0 ? ['secrets'] : []), ...(allow.length > 0 ? ['allow'] : [])];
    return unused.map((setting) => finding(`${at}.${setting}`, undefined, problem, [`${at}.command`]));
  }
  const { username, password } = new URL(url);
  if (username + password !== '')
    return [finding(`${at}.url`, undefined, 'a URL without user and password: what is sent is signed with secrets')];
  if (secrets.length > 0) return [];
  const problem = 'one at least, by which the endpoint can tell who has sent it: openssl rand -base64 32 makes one';
  return [finding(`${at}.secrets`, secrets, problem, [`${at}.url`])];
}

function pipelineChecks(endpoint: EndpointSection, at: string, all: readonly PipelineSection[]): CrossFinding[] {
  const names = all.map(({ name }) => name);
  const unknown = (endpoint.pipelines ?? []).flatMap((name, i) =>
    names.includes(name)
      ? []
      : [finding(`${at}.pipelines[${i}]`, name, `the configuration has ${names.join(', ')}${didYouMean(name, names)}`)],
  );
  const notified = all.filter(({ name }) => endpoint.pipelines?.includes(name) ?? true);
  const avro = notified.find(({ output }) => output.format === 'avro');
  const packed = `"json" where an endpoint of the notifier is for the pipeline (${endpoint.name}): webhooks carry JSON`;
  const place = avro && `pipelines[${all.indexOf(avro)}].output.format`;
  const said = [...new Set(notified.flatMap((each) => kindOf(each).said.all))];
  const silent = (endpoint.on ?? []).flatMap((name, i) =>
    said.includes(name) || unknown.length > 0
      ? []
      : [finding(`${at}.on[${i}]`, name, `its pipelines say ${said.join(', ')}${didYouMean(name, said)}`)],
  );
  return [...unknown, ...(place === undefined ? [] : [finding(place, 'avro', packed, [`${at}.pipelines`])]), ...silent];
}

/** undefined: it is sound. */
function allowProblem(entry: string): string | undefined {
  const expected = 'a host, host:port, [v6]:port, or a range of addresses as "10.0.0.0/8"';
  const range = /^([^/]+)\/(\d{1,3})$/.exec(entry);
  if (range !== null) {
    const bits = { 4: 32, 6: 128 }[isIP(range[1]!)];
    return bits !== undefined && Number(range[2]) <= bits ? undefined : expected;
  }
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?$/.exec(entry);
  const isV6 = isIP(entry) === 6 || (bracketed !== null && isIP(bracketed[1]!) === 6);
  const named = /^[A-Za-z0-9._-]+(?::(\d{1,5}))?$/.exec(entry);
  const port = Number(bracketed?.[2] ?? named?.[1] ?? 1);
  return (isV6 || named !== null) && port >= 1 && port <= 65_535 ? undefined : expected;
}
