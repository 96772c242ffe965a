// Faults where a key is erased (E1).
import type { Mutant } from '../mutants/mutant.ts';

const ACTS = 'libs/core/kinds/src/session/session-acts.ts';

export const ERASURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'says a summary of what it erases',
    file: ACTS,
    from: 'stats?.erased();\n    effects.end(effects.clock);',
    to: "this.#parts.close({ reason: 'ENDED' }, effects.clock, effects);",
  },
  {
    name: 'keeps what it is to erase',
    file: ACTS,
    from: 'stats?.erased();\n    effects.end(effects.clock);',
    to: 'effects.changed();',
  },
  {
    name: 'takes for an end what asks for an erasure',
    file: 'libs/core/kinds/src/session/erasing/erase-header.ts',
    from: 'return commands(headers, BYTES);',
    to: 'return headers.length > 1 && commands(headers, BYTES);',
  },
  {
    name: 'erases a closed session that waits without its last word',
    file: ACTS,
    from: 'revisions.due(effects.clock, effects);',
    to: 'effects.end(effects.clock);',
    seed: 36,
  },
];
