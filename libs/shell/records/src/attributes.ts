/** Names and texts, as an application gives them. */
export type Attributes = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

/** Own members of an object. A Map is told by its shape: one of another realm is no instance of this one's. */
export function membersOf(attributes: Attributes | undefined): object | undefined {
  if (typeof attributes !== 'object' || (attributes as unknown) === null) return attributes;
  return isMap(attributes) ? Object.fromEntries(attributes) : attributes;
}

function isMap(attributes: Attributes): attributes is ReadonlyMap<string, string> {
  return typeof attributes.get === 'function' && Symbol.iterator in attributes;
}
