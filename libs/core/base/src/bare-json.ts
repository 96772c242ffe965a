// JSON as data of strangers: objects without a prototype, whose members are what the text says and nothing else.

/** `text` is JSON, however deep it is nested: it takes no stack. @throws SyntaxError where it is none */
export function bareJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const left: object[] = isObject(value) ? [value] : [];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    // Members stay own ones, `__proto__` among them.
    if (!Array.isArray(each)) Object.setPrototypeOf(each, null);
    for (const inner of Object.values(each)) if (isObject(inner)) left.push(inner);
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
