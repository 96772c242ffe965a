// Commands that the pages tell a user to type, and blocks they give him to paste, held against the commands and settings there are.
import { ConfigurationError, resolveConfiguration } from '@flatline/config';
import { describe, expect, test } from '@jest/globals';
import type { CommanderError } from 'commander';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProgram } from './program.ts';
import { inertContext } from './cli.fixture.ts';
import { developerCommands } from './developer/developer-commands.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const PAGES = globSync(['README.md', 'docs/*.md', 'docs/{recipes,presets,examples}/**/*.md'], { cwd: root }).toSorted();
const BLOCKS: readonly Block[] = PAGES.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```(\w+)\n([^]*?)^ *```$/gm)].map(
    ([, language = '', text = '']) => ({ page, language, text }),
  ),
);

/** Programs that are not ours, each with what does what its blocks say. */
const TRIED_ELSEWHERE: Readonly<Record<string, string>> = {
  cd: 'the shell',
  createdb: 'sinks (e2e)',
  curl: 'look-ups, push and recipes (e2e)',
  echo: 'kcat (e2e)',
  export: 'the shell',
  push: 'over-http (e2e)',
  'push()': 'over-http (e2e)',
  tell: 'over-http (e2e)',
  'tell()': 'over-http (e2e)',
};

describe('a page', () => {
  test.each(linesOf('sh').filter(([, line]) => line.startsWith('flatline ')))(
    '%s: %s is a command with these flags',
    async (_, line) => {
      for (const args of spellings(wordsOf(line).slice(1))) expect(await parsed(args)).toBe('parsed');
    },
  );

  test.each(linesOf('sh').filter(([, line]) => line.startsWith('npm run ')))('%s: %s is a script', (_, line) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    expect(Object.keys(scripts)).toContain(wordsOf(line)[2]);
  });

  test.each(linesOf('sh').filter(([, line]) => line.startsWith('node ') && !line.includes('jest')))(
    '%s: %s is a file beside it',
    (page, line) => {
      const file = wordsOf(line).find((word) => /\.m?js$/.test(word))!;
      expect(existsSync(join(root, dirname(page), file))).toBe(true);
    },
  );

  test('asks for no program that is not tried somewhere', () => {
    const others = linesOf('sh')
      .map(([page, line]) => [page, wordsOf(line).find((word) => !/^\w+=/.test(word))] as const)
      .filter(([, program]) => program !== undefined && !['flatline', 'npm', 'npx', 'node'].includes(program))
      .filter(([, program]) => !Object.hasOwn(TRIED_ELSEWHERE, program!));
    expect(others).toEqual([]);
    const asked = new Set(linesOf('sh').map(([, line]) => wordsOf(line).find((word) => !/^\w+=/.test(word))));
    expect(Object.keys(TRIED_ELSEWHERE).filter((program) => !asked.has(program))).toEqual([]);
  });

  test.each(numbered('json'))(
    '%s, block %i: JSON, and where it configures Flatline, settings that there are',
    (page, i) => {
      const { text } = BLOCKS.filter((each) => each.page === page && each.language === 'json')[i]!;
      const values = jsonOf(text);
      for (const value of values) {
        const configuration = configurationOf(value);
        if (configuration !== undefined) expect(refusalsOf(configuration)).toEqual([]);
      }
    },
  );
});

describe('what these tests take for wrong', () => {
  test('a command without its flag, a flag too many, a setting that does not exist', async () => {
    expect(await parsed(['sessions', 'tail', '--colour'])).toMatch(/unknown option '--colour'/);
    expect(await parsed(['sessions', 'tell'])).toMatch(/unknown command/);
    expect(await parsed(['config', 'check', '--config', 'shop.json'])).toBe('parsed');
    expect(refusalsOf(configurationOf({ otlp: { uri: 'http://127.0.0.1' } })!)).not.toEqual([]);
  });
});

/** Page and line, once each: without comments; a command in a project of the user's is one of ours. */
function linesOf(language: string): [string, string][] {
  const lines = BLOCKS.filter((each) => each.language === language).flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line): [string, string] => [page, line.trim().replace(/^npx flatline /, 'flatline ')]),
  );
  const said = lines.filter(([, line]) => line !== '' && !line.startsWith('#'));
  return [...new Map(said.map((each) => [each.join(': '), each])).values()];
}

function numbered(language: string): [string, number][] {
  return PAGES.flatMap((page) =>
    BLOCKS.filter((each) => each.page === page && each.language === language).map((_, i): [string, number] => [
      page,
      i,
    ]),
  );
}

/** As a shell splits it, without a comment at its end or what the output goes to. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/(?:'[^']*'|"(?:\\.|[^"])*"|\\.|[^\s'"\\])+/g)].map(([word]) => word);
  const end = words.findIndex((word) => word.startsWith('#') || word === '|' || word === '>' || word === '&');
  return words
    .slice(0, end < 0 ? undefined : end)
    .map((word) =>
      word.replaceAll(/'([^']*)'|"((?:\\.|[^"])*)"/g, (_, one?: string, two?: string) => one ?? two ?? ''),
    );
}

/** `flush|cancel doc-17` is two commands. */
function spellings(words: readonly string[]): string[][] {
  const [first, ...rest] = words;
  if (first === undefined) return [[]];
  const heads = /^[a-z-]+(\|[a-z-]+)+$/.test(first) ? first.split('|') : [first];
  return heads.flatMap((head) => spellings(rest).map((tail) => [head, ...tail]));
}

async function parsed(args: readonly string[]): Promise<string> {
  try {
    await buildProgram(inertContext(), true, developerCommands).parseAsync([...args], { from: 'user' });
    return 'parsed';
  } catch (error) {
    const { exitCode, message } = error as CommanderError;
    return exitCode === 0 ? 'parsed' : message;
  }
}

/** One value, some lines of them, or settings of an object without its braces. */
function jsonOf(text: string): unknown[] {
  if (text.trimStart().startsWith('"')) return [JSON.parse(`{${text}}`)];
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.trim().split('\n');
    if (lines.length === 1) throw error;
    return lines.map((line): unknown => JSON.parse(line));
  }
}

const SESSIONS = { name: 'visits', kind: 'session', input: { topic: 'visit-events' }, output: { topic: 'visits' } };

/** The whole of which the block may be a part; undefined: it is none of a configuration. */
function configurationOf(value: unknown): object | undefined {
  const given = value as Readonly<Record<string, unknown>>;
  const common = { application: 'shop', brokers: ['127.0.0.1:9092'] };
  const withPipeline = (pipeline: object): object => ({ ...common, pipelines: [pipeline] });
  if ('pipelines' in given) return given;
  if ('otlp' in given || 'http' in given) return { ...withPipeline({ timeoutMs: '30m', ...SESSIONS }), ...given };
  if ('topic' in given && 'touches' in given) return configurationOf({ input: [SESSIONS.input, given] });
  if ('input' in given || 'timeoutMs' in given) {
    const isAnswer = 'deadlineAt' in given;
    return isAnswer ? undefined : withPipeline({ timeoutMs: '30m', ...SESSIONS, ...given });
  }
  return undefined;
}

function refusalsOf(configuration: object): unknown[] {
  // A page leaves it out, and users fill it in.
  const file = JSON.parse(JSON.stringify(configuration).replaceAll('sha256:…', `sha256:${'0'.repeat(43)}`)) as unknown;
  try {
    resolveConfiguration(file, { source: 'the page', folder: '/', environment: {}, uses: [] });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...error.findings];
  }
}
