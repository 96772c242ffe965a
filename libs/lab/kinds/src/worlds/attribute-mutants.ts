// Faults where attributes are kept out or hashed (E1).
import type { Mutant } from '../mutants/mutant.ts';

const GATE = 'libs/shell/records/src/gate/attribute-gate.ts';

export const ATTRIBUTE_MUTANTS: readonly Mutant[] = [
  {
    name: 'lets in an attribute that no list names',
    file: GATE,
    from: 'else if (this.#allow?.has(name) !== false)',
    to: "else if (this.#allow?.has(name) !== false || value === '')",
  },
  {
    name: 'lets in what is to be hashed where it is also allowed',
    file: GATE,
    from: 'if (this.#hash.has(name)) passed',
    to: 'if (this.#hash.has(name) && this.#allow?.has(name) !== true) passed',
  },
  {
    name: 'hashes without its key',
    file: GATE,
    from: "createHmac('sha256', this.#key)",
    to: "createHmac('sha256', this.#key.slice(0, 16))",
  },
  {
    name: 'keeps an empty map of an event of which nothing gets in',
    file: GATE,
    from: 'return passed.size === 0 ? undefined : passed;',
    to: 'return passed;',
  },
  {
    name: 'shows a reducer what does not get in',
    file: GATE,
    from: 'each[0] === ATTRIBUTES ? gotIn : [each]',
    to: 'each[0] === ATTRIBUTES && gotIn.length > 0 ? gotIn : [each]',
    seed: 30,
  },
];
