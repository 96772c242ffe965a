// JSON pointers (RFC 6901) into the fields of an event.

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
const INDEX = /^(?:0|[1-9][0-9]*)$/;

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

/** Returns what stands there; undefined: nothing does. Looks at own members alone. */
export function pointer(text: string): (fields: unknown) => unknown {
  const steps = text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (fields) => {
    let at = fields;
    for (const step of steps) {
      if (typeof at !== 'object' || at === null || at instanceof Uint8Array) return undefined;
      if (Array.isArray(at) ? !INDEX.test(step) : !Object.hasOwn(at, step)) return undefined;
      at = (at as Readonly<Record<string, unknown>>)[step];
    }
    return at;
  };
}
