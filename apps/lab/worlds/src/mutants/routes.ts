// Faults in what outputs bring about, one for each way to be wrong (P3): hunted in chains, since other worlds have no routes.
import type { EngineMutant } from './mutant.ts';

const ROUTING = 'libs/core/kinds/src/routing/routing.ts';
const RUNS = 'libs/core/kinds/src/schedule/schedule-said.ts';
const TEMPLATE = 'libs/core/kinds/src/routing/template.ts';
const BOX = 'libs/core/partition/src/commit/output-box.ts';
const RECORDS = 'libs/shell/runtime/src/committing/output-records.ts';

const IN_CHAINS: readonly EngineMutant[] = [
  {
    name: 'routes outputs of any reason',
    file: ROUTING,
    from: 'names.some((name) => on.includes(name))',
    to: 'names.length > 0',
  },
  {
    name: 'routes what is not where the route says',
    file: ROUTING,
    from: '(find(fields) ?? null) === value',
    to: 'find(fields) !== undefined && value !== undefined',
  },
  {
    name: 'puts what is routed where the key of its output lies',
    file: ROUTING,
    from: 'partition: partitionOf(made.key, partitionsOf(to))',
    to: 'partition: partitionOf(output.key!, partitionsOf(to))',
  },
  {
    name: 'keeps the key of the output, whatever the route says',
    file: ROUTING,
    from: "key: made(keyTemplate, 'key'),",
    to: 'key: output.key!,',
  },
  {
    name: 'sends an empty value where a route says none',
    file: ROUTING,
    from: 'value: valueTemplate === undefined ? null',
    to: 'value: valueTemplate === undefined ? new Uint8Array(0)',
  },
  {
    name: 'loses the headers of a route',
    file: ROUTING,
    from: 'headers: headerTemplates.map(({ name, make })',
    to: 'headers: headerTemplates.slice(1).map(({ name, make })',
  },
  {
    name: 'takes the first of several records of a function',
    file: ROUTING,
    from: 'return all.map((each) => askedRecord(each, output));',
    to: 'return all.slice(0, 1).map((each) => askedRecord(each, output));',
  },
  {
    name: 'has a function that leaves out the value route none',
    file: ROUTING,
    from: 'if (value === undefined) return output.value;',
    to: 'if (value === undefined) return null;',
  },
  {
    name: 'routes the first route of an output alone',
    file: ROUTING,
    from: 'return compiled.filter(({ concerns }) => concerns(said)).flatMap(',
    to: 'return compiled.filter(({ concerns }) => concerns(said)).slice(0, said.names.length - 2).flatMap(',
  },
  {
    name: 'says DUE of no run',
    file: RUNS,
    from: "names: ['DUE'] }",
    to: 'names: [] }',
  },
  {
    name: 'routes tombstones as the outputs before them',
    file: BOX,
    from: '    for (const routed of routing.of(output)) {',
    to: '    for (const routed of output.value === null ? routing.of({ ...output, value: new TextEncoder().encode(\'{"reason":"ENDED"}\') }) : routing.of(output)) {',
  },
  {
    name: 'sends an empty key where a pointer leads to nothing',
    file: TEMPLATE,
    from: 'return text === undefined ? { why: `nothing at ${path}` } : utf8Of(text);',
    to: "return utf8Of(text ?? '');",
  },
  {
    name: 'shows the headers of a run to no route',
    file: RUNS,
    from: 'headers: Object.fromEntries(foreign),',
    to: 'headers: {},',
  },
  {
    name: 'routes an output twice now and then',
    file: BOX,
    from: '      bytes += this.#putOne(routed.record);',
    to: '      bytes += this.#putOne(routed.record);\n      if (this.#packer.mark.count % 7 === 0) bytes += this.#putOne(routed.record);',
  },
  {
    name: 'forgets what it has routed now and then',
    file: BOX,
    from: '      bytes += this.#putOne(routed.record);',
    to: '      if (this.#packer.mark.count % 7 !== 6) bytes += this.#putOne(routed.record);',
  },
  {
    name: 'writes no letter for what cannot be routed',
    file: BOX,
    from: '        onUnroutable(output, routed.detail);',
    to: '        void onUnroutable;',
  },
  {
    name: 'numbers what is routed by the topic, not the commit',
    file: RECORDS,
    from: '    number += 1;',
    to: '    number += headers.length === 0 ? 0 : 1;',
  },
  {
    name: 'names the commit before in what it routes',
    file: RECORDS,
    from: '${group}/${partition}/${sequence}/${number}',
    to: '${group}/${partition}/${Number(sequence) - 1}/${number}',
  },
];

export const ROUTE_MUTANTS: readonly EngineMutant[] = IN_CHAINS.map((mutant) => ({ ...mutant, world: 'chain' }));
