// Who asks, and what a route asks of him.

export const ROLES = ['read', 'admin'] as const;
/** `admin` may all that `read` may. */
export type Role = (typeof ROLES)[number];
/** `open`: whoever reaches the port may ask; without a role he is told yes or no, and no more. */
export type RouteRole = 'open' | Role;
/** By method and path, as they are registered: `POST /api/v1/partitions/:pipeline/:partition/restart`. */
export type RouteRoles = Readonly<Record<string, RouteRole>>;

export interface Caller {
  /** As the audit line names him: a token's name, `oidc:` and the subject, `group`, `loopback`. */
  readonly name: string;
  readonly role: Role;
}

/** `unknown`: it cannot be told now, and may be later. */
export type Admission =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'stranger'; readonly why: string }
  | { readonly kind: 'forbidden'; readonly name: string; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

export function may(caller: Caller | undefined, role: RouteRole): boolean {
  if (role === 'open') return true;
  return caller?.role === 'admin' || caller?.role === role;
}

/**
 * Role of a route that is registered. HEAD comes with GET, and is told no body.
 * @throws Error where the table has none
 */
export function roleOf(roles: RouteRoles, method: string, path: string): RouteRole {
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role !== undefined) return role;
  throw new Error(`${name} has no role: say in the table of routes who may ask it (open, read or admin)`);
}
