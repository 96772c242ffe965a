// Stands before every route of a server: nothing is routed but by a role of the table, and no body is read before it.
//
// Owns: who may ask what, how often, and the line that tells of each act.
// Does not own: tokens (Admitting), what a route answers.
//
// Invariants
//   GD1  A route that the table does not name is not registered.
//   GD2  Whoever may not ask a route has nothing of it run, and no body read.
//   GD3  An open route tells a caller without a role no more than yes or no.
//   GD4  Each act has its line, with who, what and outcome, however it ended.
import type { Clock } from '@flatline/base';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Connections } from '../serving/connections.ts';
import { RawSockets } from '../serving/raw-sockets.ts';
import { type AuditLog, auditAct, auditRefusal } from './audit.ts';
import { isFromPage, OwnHosts } from './browser-requests.ts';
import { CallerBudgets, Second } from './request-budget.ts';
import { type Admission, type Caller, may, roleOf, type RouteRole, type RouteRoles } from './roles.ts';

/** Who a request is of. Never throws. */
export interface Admitting {
  admit(request: FastifyRequest): Admission | Promise<Admission>;
}

export interface GuardOptions {
  readonly roles: RouteRoles;
  /** undefined: whoever reaches the port may all, which is for loopback alone. */
  readonly admitting: Admitting | undefined;
  /** Names by which a port without tokens is called, beside those of loopback and IP addresses. */
  readonly hosts: readonly string[];
  /** Requests of one caller, and of one connection. */
  readonly perSecondMax: number;
  readonly connectionsMax: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: AuditLog;
}

interface Refusal {
  readonly code: 401 | 403 | 421 | 429 | 503;
  readonly error: string;
}

/** After so many refusals a connection is closed: whoever guesses pays for a new one, and its handshake. */
const REFUSALS_MAX = 10;
const LOOPBACK: Caller = { name: 'loopback', role: 'admin' };
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/** Properties of requests and of connections: a WeakMap costs several times as much, for each request. */
const CALLER = Symbol('caller');
const CONNECTION = Symbol('connection');

interface GuardedRequest extends FastifyRequest {
  [CALLER]?: Caller;
}

/** The guard's knowledge of one connection. */
class ConnectionState {
  readonly second = new Second();
  refusals = 0;
  isLetIn = false;
}

/** Who asks; undefined on an open route for whoever has no role. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return (request as GuardedRequest)[CALLER];
}

function stateOf(socket: object & { [CONNECTION]?: ConnectionState | undefined }): ConnectionState {
  return (socket[CONNECTION] ??= new ConnectionState());
}

/** Before the first route is registered. */
export function addGuard(server: FastifyInstance, options: GuardOptions): void {
  const { roles, connectionsMax } = options;
  const guarding: Guarding = {
    options,
    connections: new Connections(server.server, new RawSockets(server.server), connectionsMax),
    budgets: new CallerBudgets(),
    hosts: new OwnHosts(options.hosts),
  };
  // A request that a page could send without being asked first is refused: a body is JSON, and says so (Fetch, CORS-safelisted types).
  server.removeContentTypeParser('text/plain');
  server.addHook('onRoute', (route) => {
    const [first, ...others] = [route.method].flat().map((method) => roleOf(roles, method, route.url));
    if (first === undefined || others.some((role) => role !== first))
      throw new Error(`${route.url}: its methods have several roles; register one route for each`);
    // By its role, known here: to ask a request for its route's makes an object of twelve fields.
    route.onRequest = [guardOf(guarding, first), route.onRequest ?? []].flat();
    if (first === 'open') {
      route.preSerialization = [onlyYesOrNo, route.preSerialization ?? []].flat();
      route.errorHandler = (error, request, reply) =>
        callerOf(request) === undefined ? void reply.code(500).send({ ok: false }) : void reply.send(error);
    }
    if (first === 'admin') route.onSend = [audited(options.log), route.onSend ?? []].flat();
  });
  const ofNoRoute = guardOf(guarding, undefined);
  server.addHook('onRequest', function (request, reply, done) {
    if (request.is404) ofNoRoute.call(this, request, reply, done);
    else done();
  });
}

interface Guarding {
  readonly options: GuardOptions;
  readonly connections: Connections;
  readonly budgets: CallerBudgets;
  readonly hosts: OwnHosts;
}

/** Stands before a route of that role; undefined: there is no such route. */
function guardOf(
  { options, connections, budgets, hosts }: Guarding,
  role: RouteRole | undefined,
): onRequestHookHandler {
  const { admitting, clock, perSecondMax } = options;
  return (request, reply, done) => {
    void reply.headers(HEADERS);
    const { socket } = request.raw;
    const state = stateOf(socket);
    const nowMs = clock.monotonicMs();
    const refuse = (refusal: Refusal, who: string): void => {
      state.refusals += 1;
      if (state.refusals >= REFUSALS_MAX) void reply.header('connection', 'close');
      if (role === 'admin') auditRefusal(options.log, request, { who, ...refusal });
      answer(reply, refusal);
    };
    const decide = (admission: Admission): void => {
      if (admission.kind === 'caller') {
        const { caller } = admission;
        if (!budgets.of(caller.name).take(perSecondMax, nowMs)) {
          refuse(tooMany(`of ${caller.name}`, perSecondMax), caller.name);
          return;
        }
        if (!state.isLetIn) connections.letIn(socket);
        state.isLetIn = true;
        (request as GuardedRequest)[CALLER] = caller;
      }
      if (role === undefined && admission.kind !== 'caller') {
        // The handler of what is not there reads a body, too.
        void reply.code(404).send({ error: `no ${request.method} of this path` });
        return;
      }
      const refusal = role === undefined ? undefined : refusalOf(admission, role);
      if (refusal === undefined) done();
      else refuse(refusal, nameIn(admission));
    };
    const early = !state.second.take(perSecondMax, nowMs)
      ? tooMany('of one connection', perSecondMax)
      : role === undefined
        ? undefined
        : refusalByForm(request, options, hosts);
    if (early !== undefined) {
      refuse(early, 'unknown');
      return;
    }
    const admission = admitting === undefined ? AT_LOOPBACK : admitting.admit(request);
    if (admission instanceof Promise) admission.then(decide, done);
    else decide(admission);
  };
}

const AT_LOOPBACK: Admission = { kind: 'caller', caller: LOOPBACK };

function refusalByForm(request: FastifyRequest, { admitting }: GuardOptions, hosts: OwnHosts): Refusal | undefined {
  if (isFromPage(request)) return { code: 403, error: 'not from a web page' };
  if (admitting !== undefined || !hosts.isForeign(request.headers.host)) return undefined;
  // A page whose name was made to mean this machine (DNS rebinding) has the same origin as the answer, and could read it.
  return {
    code: 421,
    error: `this port has no tokens, and answers to loopback names and addresses alone: http.advertised names another`,
  };
}

function tooMany(whose: string, perSecondMax: number): Refusal {
  return { code: 429, error: `at most ${perSecondMax} requests a second ${whose} are taken (http.maxPerSecond)` };
}

/** undefined: it may be asked. */
function refusalOf(admission: Admission, role: RouteRole): Refusal | undefined {
  if (role === 'open') return undefined;
  if (admission.kind === 'stranger') return { code: 401, error: admission.why };
  if (admission.kind === 'unknown') return { code: 503, error: admission.why };
  if (admission.kind === 'forbidden') return { code: 403, error: admission.why };
  if (may(admission.caller, role)) return undefined;
  return { code: 403, error: `${admission.caller.name} has the role ${admission.caller.role}, and this needs ${role}` };
}

function nameIn(admission: Admission): string {
  if (admission.kind === 'caller') return admission.caller.name;
  return admission.kind === 'forbidden' ? admission.name : 'unknown';
}

function answer(reply: FastifyReply, { code, error }: Refusal): void {
  if (code === 401) void reply.header('www-authenticate', 'Bearer');
  if (code === 429 || code === 503) void reply.header('retry-after', 1);
  void reply.code(code).send({ error });
}

/** GD3. */
function onlyYesOrNo(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (callerOf(request) !== undefined || typeof payload !== 'object' || payload === null) done(null, payload);
  else done(null, Object.fromEntries(Object.entries(payload).filter(([, value]) => typeof value === 'boolean')));
}

/** GD4. As it is answered, also where the other end has gone. */
function audited(log: AuditLog) {
  return (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void => {
    const caller = callerOf(request);
    // Otherwise it was refused, and told of.
    if (caller !== undefined && may(caller, 'admin'))
      auditAct(log, request, { who: caller.name, code: reply.statusCode });
    done();
  };
}
