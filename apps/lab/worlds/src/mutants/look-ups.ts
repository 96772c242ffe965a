// Faults in answers for keys, one for each way to be wrong (Q1, Q2).
import type { EngineMutant } from './mutant.ts';

const HERE = 'libs/shell/processor/src/directory/here.ts';
const LOOK_UP = 'libs/shell/runtime/src/running/entry-look-up.ts';
const INSTANCE = 'libs/shell/runtime/src/instance/pipeline-instance.ts';
const RUNNER = 'libs/shell/runtime/src/running/task-runner.ts';
const STANDBY = 'libs/shell/runtime/src/restoring/standby.ts';
const CHANGELOG = 'libs/core/partition/src/changelog/changelog.ts';

const IN_LOOK_UPS: readonly EngineMutant[] = [
  {
    name: 'takes the owners known for all there are',
    file: HERE,
    from: 'const partition = partitionOf(key, pipeline.inputPartitions);',
    to: 'const partition = partitionOf(key, pipeline.instances.flatMap((each) => each.partitions).length || pipeline.inputPartitions);',
  },
  {
    name: 'answers before the commit that covers it',
    file: LOOK_UP,
    from: 'return unsettledCuts === 0 || (await settledCuts.after(unsettledCuts, abandon)) ? found : ENDED;',
    to: 'return found;',
  },
  {
    name: 'answers though its commit never came, as a zombie does',
    file: LOOK_UP,
    from: 'return unsettledCuts === 0 || (await settledCuts.after(unsettledCuts, abandon)) ? found : ENDED;',
    to: 'if (unsettledCuts > 0) await settledCuts.after(unsettledCuts, abandon); return found;',
  },
  {
    name: 'proves by an end that it was told before',
    file: 'libs/shell/runtime/src/running/read-ends.ts',
    from: 'this.#next ??= this.#sent\n      .catch(() => undefined)',
    to: 'if (this.#waiting.size > 0) return this.#sent; this.#next ??= this.#sent\n      .catch(() => undefined)',
  },
  {
    name: 'takes what it has read for all there is',
    file: LOOK_UP,
    from: 'if (!(await readEnds.reached(abandon))) return ENDED;',
    to: 'void readEnds;',
  },
  {
    name: 'has a standby answer as of now',
    file: INSTANCE,
    from: 'return how.isNow ? undefined : this.#standbys.get(partition)?.lookUp(key, how.show);',
    to: 'return this.#standbys.get(partition)?.lookUp(key, how.show);',
  },
  {
    name: 'takes a standby that lags for the owner',
    file: STANDBY,
    from: "from: 'standby'",
    to: "from: 'owner'",
  },
  {
    name: 'has a standby answer for a topic that was made again',
    file: STANDBY,
    from: 'restoration.last.inputPartitions !== settings.inputPartitions',
    to: 'restoration.last.inputPartitions < 0',
  },
  {
    name: 'forwards to who knows the input by other partitions',
    file: HERE,
    from: 'const group = `${pipeline.group}/${pipeline.inputPartitions}`;',
    to: 'const group = pipeline.group;',
    seed: 175_010_126,
  },
  {
    name: 'shows what is due as if it lived',
    file: LOOK_UP,
    from: 'if (isDue) {',
    to: 'if (isDue && position < 0) {',
  },
  {
    name: 'waits for one cut where two are to be settled',
    file: CHANGELOG,
    from: 'return this.cutsInFlight + (waits ? 1 : 0);',
    to: 'return Math.min(1, this.cutsInFlight + (waits ? 1 : 0));',
  },
  {
    name: 'says none of a key whose end is not committed',
    file: 'libs/core/partition/src/live/entry-look.ts',
    from: 'const unsettledCuts = changelog.hasUnsettledRemovals ? changelog.unsettledCuts : 0;',
    to: 'const unsettledCuts = 0;',
  },
  {
    name: 'says none while it restores',
    file: RUNNER,
    from: "    return { kind: 'restoring', detail:",
    to: "    if (this.#state.kind === 'restoring') return { kind: 'found', entries: [], asOf: { clock: Number.MAX_SAFE_INTEGER, position: 0 }, from: 'owner' };\n    return { kind: 'restoring', detail:",
  },
];

export const LOOK_UP_MUTANTS: readonly EngineMutant[] = IN_LOOK_UPS.map((mutant) => ({ ...mutant, world: 'lookUps' }));
