// Checks the parts of a kind that no compiler asks for (docs/HACKING.md, A new kind): rules under a letter of its own, a guide, golden
// bytes, a fuzz target, mutants, a test on a broker, its commands.
import { type Finding } from './finding.ts';
import { kindNamesIn, NAMES } from './kind-names.ts';
import { type Tree, type Workspace } from './workspace.ts';

const SPEC = 'docs/SPEC.md';
const TESTS_OF_KINDS = 'libs/core/partition/src/';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BROKER_TESTS = 'apps/lab/e2e/src/';

interface Section {
  readonly letter: string;
  readonly title: string;
  readonly text: string;
}

interface Kind {
  readonly name: string;
  /** Name of one entry, and of the group of its commands; undefined: missing. */
  readonly noun: string | undefined;
  readonly group: string | undefined;
  /** Its rules; undefined: missing. */
  readonly section: Section | undefined;
}

export function kindParts(workspace: Workspace): Finding[] {
  const { tree } = workspace;
  const sections = sectionsOf(tree.get(SPEC) ?? '');
  const kinds = kindNamesIn(tree).map((name) => kindOf(name, tree, sections));
  if (kinds.length === 0) return [{ at: NAMES, message: 'names no kind: KIND_NAMES lists them' }];
  const parts = kinds.flatMap((kind) => [...rules(kind), ...tests(kind, workspace)]);
  return [...letters(sections), ...guides(sections), ...parts];
}

function rules({ name, section }: Kind): Finding[] {
  if (section === undefined)
    return [{ at: SPEC, message: `has no rules of the kind "${name}": add a section, "## <free letter> — ${name}…"` }];
  const { letter, title, text } = section;
  const own = [...text.matchAll(/^- \*\*([A-Z]{1,2})\d+[a-z]?\*\*/gm)].map(([, prefix]) => prefix);
  return [
    ...(own.includes(letter) ? [] : [`"${title}" defines no rule ${letter}1: write down what the kind does`]),
    ...own.filter((each) => each !== letter).map((each) => `"${title}" has a rule ${each}: its letter is ${letter}`),
    ...(guidesIn(text).length > 0
      ? []
      : [`"${title}" has no guide: write a page, and "Guide: [NAME](NAME.md)." below the heading`]),
  ].map((message) => ({ at: SPEC, message }));
}

function tests({ name, noun, group, section }: Kind, workspace: Workspace): Finding[] {
  const { tree } = workspace;
  const folder = `${TESTS_OF_KINDS}kinds/${name}`;
  const mutants = `libs/lab/kinds/src/${name}/${name}-mutants.ts`;
  const words = `libs/shell/kind-modules/src/${name}/words.ts`;
  const goldens = titlesIn(workspace, TESTS_OF_KINDS).filter((title) => title.includes('golden bytes'));
  const brokers = titlesIn(workspace, BROKER_TESTS);
  const isFuzzed = textsOf(tree, TESTS_OF_KINDS, '/fuzz.test.ts').some((text) => text.includes(`'partition/${name}'`));
  const isCalled = textsOf(tree, 'apps/', '.test.ts').some((text) => text.includes(`'${group}'`));
  const wants: readonly (readonly [has: boolean, at: string, message: string])[] = [
    [noun !== undefined, words, `is to say noun and group of the kind "${name}"`],
    [
      goldens.some((title) => noun !== undefined && new RegExp(`\\b${noun}s?\\b`).test(title)),
      folder,
      `has no test "golden bytes of a ${noun ?? name}": hold its commits to the bytes that other processes read`,
    ],
    [isFuzzed, `${folder}/fuzz.test.ts`, `is to have the fuzz target 'partition/${name}': damaged blocks of the kind`],
    [/^ +from: /m.test(tree.get(mutants) ?? ''), mutants, `has no mutant: add faults of "${name}" for worlds to find`],
    [
      brokers.some((title) => section !== undefined && new RegExp(`\\[${section.letter}\\d`).test(title)),
      BROKER_TESTS.slice(0, -1),
      `has no test of the kind "${name}": add one with a rule of the kind in its title, such as [${section?.letter ?? '?'}1]`,
    ],
    [
      isCalled,
      BROKER_TESTS.slice(0, -1),
      `no test below apps calls the commands of the kind "${name}": call "${group ?? '?'} list" in one`,
    ],
  ];
  return wants.filter(([has]) => !has).map(([, at, message]) => ({ at, message }));
}

/** A letter belongs to one section, whatever that is about: ids of rules are permanent. */
function letters(sections: readonly Section[]): Finding[] {
  return sections.flatMap(({ letter, title }, index) => {
    const first = sections.findIndex((other) => other.letter === letter);
    if (first === index) return [];
    const message = `"${title}" has the letter of "${sections[first]!.title}": take a free one, ${freeOf(sections)}`;
    return [{ at: SPEC, message }];
  });
}

/** A guide of another section says nothing of this one. */
function guides(sections: readonly Section[]): Finding[] {
  return sections.flatMap(({ title, text }, index) =>
    guidesIn(text).flatMap((guide) => {
      const first = sections.slice(0, index).find((other) => guidesIn(other.text).includes(guide));
      if (first === undefined) return [];
      return [{ at: SPEC, message: `"${title}" has the guide of "${first.title}", ${guide}: write one of its own` }];
    }),
  );
}

/** The pages that a section names as its guides. */
function guidesIn(text: string): string[] {
  const [, named = ''] = /^Guide: (.*)$/m.exec(text) ?? [];
  return [...named.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, page]) => page!);
}

function freeOf(sections: readonly Section[]): string {
  const taken = new Set(sections.map(({ letter }) => letter));
  return Array.from(ALPHABET)
    .filter((letter) => !taken.has(letter))
    .join(' ');
}

function sectionsOf(spec: string): Section[] {
  return spec.split(/^(?=## )/m).flatMap((text) => {
    const [, letter, title] = /^## ([A-Z]{1,2}) — (.*)/.exec(text) ?? [];
    return letter === undefined || title === undefined ? [] : [{ letter, title, text }];
  });
}

function kindOf(name: string, tree: Tree, sections: readonly Section[]): Kind {
  const words = tree.get(`libs/shell/kind-modules/src/${name}/words.ts`) ?? '';
  const section = sections.find(({ title }) => title.toLowerCase().startsWith(name));
  return { name, noun: wordIn(words, 'noun'), group: wordIn(words, 'group'), section };
}

function wordIn(words: string, name: string): string | undefined {
  return new RegExp(`\\b${name}: '([^']+)'`).exec(words)?.[1];
}

function titlesIn({ projects }: Workspace, folder: string): string[] {
  const modules = projects.flatMap((project) => project.modules);
  return modules.filter(({ path }) => path.startsWith(folder)).flatMap(({ titles }) => titles.map(({ text }) => text));
}

function textsOf(tree: Tree, folder: string, end: string): string[] {
  return [...tree].filter(([path]) => path.startsWith(folder) && path.endsWith(end)).map(([, text]) => text);
}
