import { type Finding } from './finding.ts';
import { type Tree } from './workspace.ts';

/** A word that no file may contain, and the remedy. */
interface Word {
  readonly pattern: RegExp;
  readonly remedy: string;
  /** The files that must not contain it; undefined: all. */
  readonly within?: RegExp;
}

/** Code, whose comments are plain English throughout. */
const PLAIN = /^(?:libs|apps|scripts|docs)\/.*\.(?:ts|js|mjs|java|py|go|css)$|^[\w.-]+\.mjs$/;
/** Pages, except history and generated ones. */
const PAGES = /^(?!CHANGELOG|docs\/(?:chaos-report|benchmarks\/)).*\.md$/;
const ENGLISH = new RegExp(`${PLAIN.source}|${PAGES.source}`);

// Each pattern is written so that it does not match its own text.
const words: readonly Word[] = [
  {
    pattern: /(?<![\w.$}\])-])\/(?:w[o]rk|r[o]ot|t[m]p|h[o]me\/\w+|Users\/\w+)(?:\/|\b)/,
    remedy: 'is a path of one machine: use a path relative to the workspace, os.tmpdir(), or an argument',
  },
  {
    pattern:
      /\b(?:registry\.n[p]mjs\.org|registry\.y[a]rnpkg\.com|repo1?\.m[a]ven(?:\.apache)?\.org|[\w-]*(?:artif[a]ctory|n[e]xus\.|verd[a]ccio)[\w.-]*)/i,
    remedy: 'is the host of a registry: leave the choice to the configuration of npm, Maven or Docker',
  },
  { pattern: /\b(?:T[O]DO|F[I]XME|X[X]X)\b/, remedy: 'is a debt: do it, or open an issue' },
  { pattern: /\ba[n]ew\b/, remedy: 'is not plain English: say again, or name what is done', within: ENGLISH },
  { pattern: /\bn[o]body\b/i, remedy: 'is no subject for code: say what is done, or is not', within: ENGLISH },
  { pattern: /\bfor p[e]ople\b/, remedy: 'is not plain English: say human-readable', within: ENGLISH },
  {
    pattern: /(?:\/\/|\/\*\*?|^ *\*|^ *#) (?:O[f]|Wh[a]t|Wh[e]ther|Th[o]se|Th[a]t of|So m[a]ny|So l[o]ng) /,
    remedy: 'opens a comment: begin with the noun or the verb',
    within: PLAIN,
  },
  { pattern: /(?:^|[.|] )O[f] [a-z]/, remedy: 'opens a sentence: begin with the noun', within: PAGES },
];

/** An occurrence that is right where it is. */
export interface Exemption {
  readonly path: string;
  readonly text: string;
  readonly reason: string;
}

const exempt: readonly Exemption[] = [];

/** Forbidden words in any text file but the lock file, whose package names are others' choice. */
export function forbiddenWords(tree: Tree, exemptions: readonly Exemption[] = exempt): Finding[] {
  return [...tree]
    .filter(([path]) => path !== 'package-lock.json')
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) =>
        words.flatMap(({ pattern, remedy, within }) => {
          if (within?.test(path) === false) return [];
          const found = pattern.exec(line)?.[0];
          const isExempt = exemptions.some((each) => each.path === path && line.includes(each.text));
          return found === undefined || isExempt ? [] : [{ at: `${path}:${index + 1}`, message: `${found} ${remedy}` }];
        }),
      ),
    );
}
