// A V8 CPU profile as an SVG flame graph, the root on top: a frame's width is the time spent in and below it, and siblings
// are ordered by width. No script: a frame shows its name on hover.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { escaped, svg } from './svg.ts';

/** The output of `node --cpu-prof`. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly name: string;
  readonly place: string;
  micros: number;
  readonly callees: Map<string, Frame>;
}

const WIDTH = 1200;
const ROW = 17;
const HEAD = 30;
/** Deeper calls are left out. */
const DEPTH_MAX = 30;
/** Narrower frames are left out. */
const WIDTH_MIN = 0.4;
const CHARACTER = 6.4;
/** Colors of the engine, of foreign code, and of ours. */
const ENGINE = '#b8bec9';
const FOREIGN = '#d6c9a8';
const OURS = ['#7cc4b0', '#8db8e8', '#e8b07c', '#c3a6e0', '#e59aa0', '#a9cf7d', '#7fcbd6', '#e6cf6d'];
/** The profiler's frame for an idle thread. */
const IDLE = '(idle)';

/** The newest profile of `what` in a folder, as a flame graph. @throws Error if there is none */
export function drawLastProfile(folder: string, what: string, title: string): string {
  const found = readdirSync(folder)
    .filter((name) => name.startsWith(`${what}-`) && name.endsWith('.cpuprofile'))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  const last = found.at(-1);
  if (last === undefined)
    throw new Error(`no profile of ${what} in ${folder}: that benchmark measures it in no process of its own`);
  return flameGraph(title, JSON.parse(readFileSync(last, 'utf8')) as CpuProfile);
}

/** Pure. */
export function flameGraph(title: string, profile: CpuProfile): string {
  const root = calls(profile);
  const boxes: string[] = [];
  const depth = draw(root, { x: 0, depth: 0, scale: WIDTH / Math.max(1, root.micros), all: root.micros }, boxes);
  const height = HEAD + ROW * (depth + 1);
  return svg({ width: WIDTH, height, font: 'ui-monospace, monospace', size: 11, title }, boxes);
}

/** Merges calls of the same function, whatever line they come from. */
function calls({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const own = new Map<number, number>();
  samples.forEach((id, index) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  const add = (id: number, into: Frame): number => {
    const { callFrame, children = [] } = byId.get(id)!;
    if (callFrame.functionName === IDLE) return 0;
    const frame = calleeOf(into, callFrame);
    let micros = own.get(id) ?? 0;
    for (const child of children) micros += add(child, frame);
    frame.micros += micros;
    return micros;
  };
  const top: Frame = { name: 'all', place: '', micros: 0, callees: new Map() };
  for (const { id } of nodes) if (!called.has(id)) top.micros += add(id, top);
  return top.callees.values().next().value ?? top;
}

function calleeOf(caller: Frame, { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): Frame {
  const place = placeOf(url);
  const key = `${functionName} ${place}:${lineNumber}`;
  const known = caller.callees.get(key);
  if (known !== undefined) return known;
  const frame = {
    name: functionName === '' ? '(anonymous)' : functionName,
    micros: 0,
    callees: new Map<string, Frame>(),
    place: place === '' ? '' : `${place}:${lineNumber + 1}`,
  };
  caller.callees.set(key, frame);
  return frame;
}

/** Without this machine's folders: `libs/core/partition/src/…`, `lmdb/…`, `node:net`. */
function placeOf(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  return /(?:^|\/)node_modules\/(.*)$/.exec(path)?.[1] ?? /(?:^|\/)((?:libs|apps)\/.*)$/.exec(path)?.[1] ?? path;
}

interface Place {
  readonly x: number;
  readonly depth: number;
  /** Pixels per microsecond. */
  readonly scale: number;
  readonly all: number;
}

/** Returns the depth of the deepest frame drawn. */
function draw(frame: Frame, { x, depth, scale, all }: Place, boxes: string[]): number {
  boxes.push(box(frame, { x, depth, scale, all }));
  if (depth === DEPTH_MAX) return depth;
  let deepest = depth;
  let left = x;
  for (const callee of [...frame.callees.values()].sort((a, b) => b.micros - a.micros)) {
    if (callee.micros * scale < WIDTH_MIN) break;
    deepest = Math.max(deepest, draw(callee, { x: left, depth: depth + 1, scale, all }, boxes));
    left += callee.micros * scale;
  }
  return deepest;
}

function box({ name, place, micros }: Frame, { x, depth, scale, all }: Place): string {
  const width = micros * scale;
  const top = HEAD + ROW * depth;
  const share = `${((100 * micros) / all).toFixed(1)} %`;
  const about = [name, place === '' ? '' : `(${place})`, share].filter((part) => part !== '').join(' ');
  const room = Math.floor((width - 4) / CHARACTER);
  const label = room < 3 ? '' : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
  return (
    `<g><title>${escaped(about)}</title>` +
    `<rect x="${x.toFixed(1)}" y="${top}" width="${Math.max(0.2, width - 0.4).toFixed(1)}" height="${ROW - 1}" fill="${colorOf(place)}"/>` +
    (label === '' ? '' : `<text x="${(x + 2).toFixed(1)}" y="${top + 12}" fill="#1f2933">${escaped(label)}</text>`) +
    '</g>'
  );
}

/** A color for each of our libraries. */
function colorOf(place: string): string {
  if (place === '' || place.startsWith('node:')) return ENGINE;
  const library = /^(?:libs|apps)\/(?:(?:core|shell|lab)\/)?([^/]+)/.exec(place)?.[1];
  if (library === undefined) return FOREIGN;
  let hash = 0;
  for (const character of library) hash = (hash * 31 + character.charCodeAt(0)) % 9_973;
  return OURS[hash % OURS.length]!;
}
