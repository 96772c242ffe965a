import type { RouteRoles } from '@flatline/http';

/**
 * Who may ask each route: all there are, and no other can be registered. What is looked at is `read`, what changes anything is
 * `admin`. The probes are `open`, for a kubelet has no token: without one they say yes or no (docs/OPERATIONS.md). So are the
 * dashboard's files, which are the same for all: what they show is asked for with a token.
 */
export const ROUTE_ROLES: RouteRoles = {
  'GET /': 'open',
  'GET /dashboard.js': 'open',
  'GET /dashboard.css': 'open',
  'GET /livez': 'open',
  'GET /startupz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'read',
  'GET /api/v1/openapi.json': 'read',
  'GET /api/v1/pipelines': 'read',
  'GET /api/v1/partitions': 'read',
  'GET /api/v1/workers': 'read',
  'GET /api/v1/probes': 'read',
  'GET /api/v1/stats/:pipeline': 'read',
  'GET /api/v1/owners/:pipeline': 'read',
  'GET /api/v1/entries-by-key/:pipeline/:key': 'read',
  'POST /api/v1/entries-look-up/:pipeline': 'read',
  'GET /api/v1/entries/:pipeline': 'read',
  'POST /api/v1/entries-page/:pipeline': 'read',
  'GET /api/v1/events/:pipeline': 'read',
  'GET /api/v1/watch': 'read',
  'GET /api/v1/dead-letters/:pipeline': 'read',
  'POST /api/v1/entries-act/:pipeline/:act/:key': 'admin',
  'POST /api/v1/entries-act/:pipeline/:act': 'admin',
  'POST /api/v1/dead-letters/:pipeline/replay': 'admin',
  'POST /api/v1/partitions/:pipeline/:partition/restart': 'admin',
};
