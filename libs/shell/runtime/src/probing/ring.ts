// Who looks after whom: each instance after the one that follows it by name, and after further ones while those are silent.

/** Names of the instances that `self` looks after. One that is in no ring, since it has just come or was put out, looks after all. */
export function lookedAfterBy(
  self: string,
  names: readonly string[],
  isSilent: (name: string) => boolean,
): readonly string[] {
  const ring = [...new Set(names)].sort();
  const at = ring.indexOf(self);
  if (at < 0) return ring;
  const others = [...ring.slice(at + 1), ...ring.slice(0, at)];
  const firstHeard = others.findIndex((name) => !isSilent(name));
  return firstHeard < 0 ? others : others.slice(0, firstHeard + 1);
}
