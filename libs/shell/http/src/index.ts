export { RequestAdmitting } from './access/admitting.ts';
export { isSameText } from './access/constant-time.ts';
export { addGuard, callerOf } from './access/guard.ts';
export { GroupCertificates } from './access/peer-certificates.ts';
export type { Role, RouteRole, RouteRoles } from './access/roles.ts';
export { IssuerTokens } from './oidc/issuer-tokens.ts';
export { promptClose } from './serving/prompt-close.ts';
export { reread } from './serving/reread.ts';
export { type Certificate, contextOf, serverOptions } from './serving/server-options.ts';
