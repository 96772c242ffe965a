// Reads a configuration file of each form, and says where in it what cannot be read stands.
import { messageOf } from '@flatline/base';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type LoadHookContext, type LoadHookSync, registerHooks } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { LineCounter, parseDocument } from 'yaml';

const YAML: ReadonlySet<string> = new Set(['.yaml', '.yml']);
/** At the beginning of a line, as an ES module has it. */
const EXPORTS = /^export\b/m;
const MODULES: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);
const BYTE_ORDER_MARK = /^\ufeff/;
const EMPTY =
  'it is empty; write application, brokers and pipelines into it (flatline config schema prints every setting)';

/** Returns the content of the file, unchecked. @throws Error whose message says what is wrong, and in which line */
export async function readConfigFile(path: string): Promise<unknown> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error('there is no such file');
  if (found.isDirectory()) throw new Error('it is a folder; name the file in it');
  const isModule = MODULES.has(extname(path));
  if (extname(path) !== '.json' && !YAML.has(extname(path)) && !isModule)
    throw new Error(`${extname(path) || 'a file without extension'} is not read; write it as .json, .yaml or .ts`);
  const text = readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, '');
  if (text.trim() === '') throw new Error(EMPTY);
  if (isModule) return readModule(path);
  return extname(path) === '.json' ? readJson(text) : readYaml(text);
}

function readJson(text: string): unknown {
  const content = parsedJson(text);
  const twice = keyTwice(parseTree(text));
  if (twice === undefined) return content;
  throw new Error(
    `line ${lineOf(text, twice.offset)}: "${String(twice.value)}" stands there twice; JSON would take the last one`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(placed(text, messageOf(error)), { cause: error });
  }
}

/** V8's words with a line, which not all of its messages have. */
function placed(text: string, said: string): string {
  if (said === 'Unexpected end of JSON input')
    return `line ${lineOf(text.trimEnd(), Infinity)}: it ends too early, before its brackets are closed`;
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return said;
  const line = `line ${lineOf(text, first.offset)}`;
  if (/^\/[/*]/.test(text.slice(first.offset, first.offset + 2)))
    return `${line}: JSON has no comments; leave them out, or write the file as .yaml, where they begin with #`;
  // Behind the comma follows an excerpt, of several lines.
  return /\(line \d+ column \d+\)$/.test(said) ? said : `${line}: ${said.replace(/, .* is not valid JSON$/s, '')}`;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** A key that stands twice, an alias that multiplies and a second document are errors. */
function readYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) throw new Error(`line ${lineCounter.linePos(wrong.pos[0]).line}: ${wrong.message}`);
  const content = document.toJS() as unknown;
  // Comments alone, behind a `---` or not.
  if (content === null) throw new Error(EMPTY);
  return content;
}

/** The first key that its object has already. */
function keyTwice(node: Node | undefined): Node | undefined {
  const keys = new Set<unknown>();
  for (const child of node?.children ?? []) {
    const key = node?.type === 'object' ? child.children?.[0] : undefined;
    if (key !== undefined && keys.has(key.value)) return key;
    keys.add(key?.value);
    const inner = keyTwice(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

async function readModule(path: string): Promise<unknown> {
  const module = (await imported(path)) as { readonly default?: unknown };
  // Node takes a file without import and export for a script, which exports an empty object.
  if (module.default === undefined || isEmptyObject(module.default))
    throw new Error('it has no default export, or an empty one; write: export default defineConfig({ … })');
  return module.default;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A package.json above a configuration (or of what it imports) that Node cannot read: that is the file to mend. */
export class BrokenManifest extends Error {
  override readonly name = 'BrokenManifest';
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

async function imported(path: string): Promise<unknown> {
  const isAmongScripts = packageTypeOf(dirname(path)) === 'commonjs';
  const load: LoadHookSync = (url, context, nextLoad) => nextLoad(url, asModule(url, context));
  const hooks = isAmongScripts ? registerHooks({ load }) : undefined;
  try {
    return (await import(pathToFileURL(path).href)) as unknown;
  } catch (error) {
    const manifest = brokenManifestIn(error);
    if (manifest !== undefined) {
      const why = `${whatIsWrongIn(manifest)}; mend it: Node looks there for how to read ${path}`;
      throw new BrokenManifest(manifest, why, { cause: error });
    }
    const { stack } = error as { readonly stack?: unknown };
    const line = typeof stack === 'string' ? lineIn(stack, path) : undefined;
    const why = messageOf(error);
    throw new Error(line === undefined ? why : `line ${line}: ${why}`, { cause: error });
  } finally {
    hooks?.deregister();
  }
}

/** The file that Node calls invalid; its error has the path in its message only. */
function brokenManifestIn(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (code !== 'ERR_INVALID_PACKAGE_CONFIG') return undefined;
  return /package config (.*?package\.json)/.exec(messageOf(error))?.[1];
}

function whatIsWrongIn(manifest: string): string {
  try {
    JSON.parse(readFileSync(manifest, 'utf8'));
    return 'it is JSON, but no package.json, which is an object';
  } catch (error) {
    return `it is no JSON (${messageOf(error)})`;
  }
}

/** By the nearest package.json, as Node decides, which refuses a broken one by its name where it needs it. */
function packageTypeOf(folder: string): unknown {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return typeIn(readFileSync(file, 'utf8'));
  return dirname(folder) === folder ? undefined : packageTypeOf(dirname(folder));
}

function typeIn(manifest: string): unknown {
  try {
    return (JSON.parse(manifest) as { readonly type?: unknown } | null)?.type;
  } catch {
    return undefined;
  }
}

/** Loads a configuration as it is written: "type": "commonjs", as `npm init` writes, is about the package's own code. */
function asModule(url: string, context: LoadHookContext): LoadHookContext {
  const isScript = context.format !== 'module' && context.format !== 'module-typescript';
  if (!isScript || !url.startsWith('file:') || url.includes('/node_modules/')) return context;
  const path = fileURLToPath(url);
  if (!MODULES.has(extname(path)) || !EXPORTS.test(readFileSync(path, 'utf8'))) return context;
  return { ...context, format: extname(path).endsWith('ts') ? 'module-typescript' : 'module' };
}

/** By the first mention of the file with a line: `file:///a/b.ts:3:5` where it threw, `/a/b.ts:3` where it is no TypeScript. */
function lineIn(stack: string, path: string): string | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${name}:`);
    const line = at < 0 ? undefined : /^:(\d+)/.exec(stack.slice(at + name.length))?.[1];
    if (line !== undefined) return line;
  }
  return undefined;
}
