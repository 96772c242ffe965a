// The dashboard: three files, the same for whoever asks. What they show is asked for by the page, and needs the role `read`.
import type { FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { DASHBOARD_FOLDER } from './dashboard-files.ts';

/** No script or style but these files, no request to elsewhere, and no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const FILES = [
  ['/', 'dashboard.html', 'text/html; charset=utf-8'],
  ['/dashboard.js', 'dashboard.js', 'text/javascript; charset=utf-8'],
  ['/dashboard.css', 'dashboard.css', 'text/css; charset=utf-8'],
] as const;

const REMEDY = { error: 'the dashboard is not built here: npm run build in the checkout makes it' };

/** Files are read when they are asked for: they are few and small, and a checkout may make them meanwhile. */
export function addDashboard(server: FastifyInstance): void {
  for (const [path, name, type] of FILES)
    server.get(path, async (_request, reply) => {
      const bytes = await readFile(new URL(name, DASHBOARD_FOLDER)).catch(() => undefined);
      if (bytes === undefined) return reply.code(404).send(REMEDY);
      return reply
        .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
        .type(type)
        .send(bytes);
    });
}
