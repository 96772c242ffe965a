// Jest's transform: swc, and what keeps tests from being many times slower than what they test.
//
// Jest runs each test file in a context of its own, where V8 asks an interceptor for every global, JavaScript's own
// included: 200 ns for a `Math` or an `Infinity` that costs nothing elsewhere. A constant of the module costs nothing there,
// either, so a module begins with constants for what it uses of them, on its first line, which keeps the numbers of its lines.
import swcJest from '@swc/jest';
import { readFileSync } from 'node:fs';

const BUILT_IN = [
  ...['Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'Buffer', 'DataView', 'Error', 'Float64Array', 'Infinity'],
  ...['Int32Array', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'RegExp', 'Set', 'String', 'Symbol'],
  ...['Uint16Array', 'Uint32Array', 'Uint8Array', 'WeakMap'],
];
const SELF = readFileSync(import.meta.filename, 'utf8');
const USED = new RegExp(`(?<![.\\w])(?:${BUILT_IN.join('|')})\\b`, 'g');

function withConstants({ code, ...rest }) {
  const used = [...new Set(code.match(USED))];
  return { ...rest, code: used.length === 0 ? code : `const { ${used.join(', ')} } = globalThis; ${code}` };
}

export default {
  createTransformer: (options) => {
    const swc = swcJest.createTransformer(options);
    return {
      ...swc,
      getCacheKey: (source, path, options) => swc.getCacheKey(SELF + source, path, options),
      process: (...file) => withConstants(swc.process(...file)),
      processAsync: async (...file) => withConstants(await swc.processAsync(...file)),
    };
  },
};
