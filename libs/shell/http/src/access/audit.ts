// A line in the log for each act: who, what, from where, with what outcome. Nothing of a body or a header is in it.
import type { FastifyRequest } from 'fastify';

/** The lines have their times. */
export interface AuditLog {
  info(message: string, facts: Readonly<Record<string, unknown>>): void;
  /** May sum up what recurs. */
  warn(message: string, facts: Readonly<Record<string, unknown>>): void;
}

/** Longer paths are cut: those of keys. */
const PATH_SHOWN_MAX = 300;

export function auditAct(
  log: AuditLog,
  request: FastifyRequest,
  { who, code }: { readonly who: string; readonly code: number },
): void {
  log.info('audit: act', { who, act: actOf(request), from: request.ip, outcome: outcomeOf(code), status: code });
}

export function auditRefusal(
  log: AuditLog,
  request: FastifyRequest,
  { who, code, error }: { readonly who: string; readonly code: number; readonly error: string },
): void {
  log.warn('audit: act refused', { who, act: actOf(request), from: request.ip, status: code, why: error });
}

function outcomeOf(code: number): 'done' | 'refused' | 'failed' {
  if (code < 400) return 'done';
  return code < 500 ? 'refused' : 'failed';
}

/** As it was sent, without its query: percent-encoded, so that a key breaks no line. */
function actOf({ method, originalUrl }: FastifyRequest): string {
  const [path = ''] = originalUrl.split('?', 1);
  return `${method} ${path.length > PATH_SHOWN_MAX ? `${path.slice(0, PATH_SHOWN_MAX)}…` : path}`;
}
