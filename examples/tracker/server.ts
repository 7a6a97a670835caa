import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { ConditionFailedError, createReader, EdgeloomError, Session, type Store } from 'edgeloom';
import { answerNodeRequest, type Feed, watchHandler } from 'edgeloom/feed';
import { tracker as model } from './model.ts';
import { boardOf, organizations, type Priority, type TicketChange, type TicketFilter, trackerOf } from './tracker.ts';

interface Answer {
  status?: number;
  body: unknown;
}

interface Call {
  tracker: ReturnType<typeof trackerOf>;
  /** Values captured by the route's pattern. */
  names: string[];
  query: URLSearchParams;
  request: IncomingMessage;
}

type Route = [method: string, path: RegExp, (call: Call) => Promise<unknown>];

const ROUTES: readonly Route[] = [
  ['POST', /^\/organization$/, ({ tracker }) => tracker.signUp()],
  ['POST', /^\/users\/([\w-]+)$/, ({ tracker, names: [name] }) => tracker.addUser(name!)],
  ['POST', /^\/projects\/([\w-]+)$/, ({ tracker, names: [name] }) => tracker.addProject(name!)],
  [
    'POST',
    /^\/projects\/([\w-]+)\/tickets$/,
    async ({ tracker, names: [name], request }) => ({
      key: await tracker.open(name!, (await bodyOf<{ title: string }>(request)).title),
    }),
  ],
  [
    'GET',
    /^\/projects\/([\w-]+)\/tickets$/,
    ({ tracker, names: [name], query }) => tracker.ticketsIn(name!, pageOf(query), filterOf(query)),
  ],
  [
    'GET',
    /^\/users\/([\w-]+)\/tickets$/,
    ({ tracker, names: [name], query }) => tracker.ticketsOf(name!, pageOf(query)),
  ],
  ['GET', /^\/users\/([\w-]+)\/load$/, ({ tracker, names: [name] }) => tracker.load(name!)],
  ['GET', /^\/tickets$/, ({ tracker, query }) => tracker.find(query.get('title') ?? '')],
  ['GET', /^\/tickets\/([\w-]+)$/, ({ tracker, names: [key] }) => tracker.show(key!)],
  ['DELETE', /^\/tickets\/([\w-]+)$/, ({ tracker, names: [key] }) => tracker.removeTicket(key!)],
  [
    'PATCH',
    /^\/tickets\/([\w-]+)$/,
    async ({ tracker, names: [key], request }) => {
      const seen = request.headers['if-match'];
      return await tracker.change(
        key!,
        await bodyOf<TicketChange>(request),
        seen === undefined ? undefined : Number(seen),
      );
    },
  ],
  ['POST', /^\/tickets\/([\w-]+)\/votes$/, async ({ tracker, names: [key] }) => ({ votes: await tracker.vote(key!) })],
  [
    'POST',
    /^\/tickets\/([\w-]+)\/toggle$/,
    async ({ tracker, names: [key] }) => ({ status: await tracker.toggle(key!) }),
  ],
  ['PUT', /^\/tickets\/([\w-]+)\/watchers\/([\w-]+)$/, ({ tracker, names: [key, name] }) => tracker.watch(key!, name!)],
  [
    'PUT',
    /^\/tickets\/([\w-]+)\/assignees\/([\w-]+)$/,
    async ({ tracker, names: [key, name], request }) =>
      tracker.assign(key!, name!, (await bodyOf<{ priority: Priority }>(request)).priority),
  ],
  [
    'DELETE',
    /^\/tickets\/([\w-]+)\/assignees\/([\w-]+)$/,
    ({ tracker, names: [key, name] }) => tracker.unassign(key!, name!),
  ],
  [
    'PUT',
    /^\/tickets\/([\w-]+)\/labels\/([\w-]+)$/,
    ({ tracker, names: [key, name] }) => tracker.addLabel(key!, name!),
  ],
  ['POST', /^\/import$/, ({ tracker, request }) => tracker.importLabels(linesOf(request), closedSignal(request))],
];

const STATUS: Readonly<Record<string, number>> = { 'not-found': 404, 'condition-failed': 409, 'outcome-unknown': 503 };

const BOARD = readFileSync(new URL('./board.html', import.meta.url));

interface Serving {
  store: Store;
  sessionKey: string;
  /** Streams a board's changes. */
  watchBoard: (request: Request) => Promise<Response>;
}

/**
 * The tracker's HTTP API. A gateway sets the header `x-organization` after authentication. The cookie `s` holds the
 * session, so clients see their own writes. Live boards need a feed.
 */
export function createTrackerServer(store: Store, sessionKey: string, feed?: Feed): Server {
  const watchBoard = watchHandler({
    reader: createReader(model, { store, feed }),
    query: ({ url, headers }) => {
      const [, project = ''] = /^\/projects\/([\w-]+)\/live$/.exec(new URL(url).pathname) ?? [];
      return boardOf(headers.get('x-organization') ?? '', project);
    },
  });
  return createServer((request, response) => {
    answer({ store, sessionKey, watchBoard }, request, response).catch((error: unknown) => {
      const code = error instanceof EdgeloomError ? error.code : 'unexpected';
      const current = error instanceof ConditionFailedError ? { current: error.current } : {};
      const status = STATUS[code] ?? (error instanceof EdgeloomError ? 400 : 500);
      send(response, { status, body: { code, message: error instanceof Error ? error.message : '', ...current } });
    });
  });
}

async function answer(
  { store, sessionKey: key, watchBoard }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(`http://tracker${request.url}`);
  if (request.method === 'GET' && url.pathname === '/organizations') {
    return send(response, { body: await organizations(store, url.searchParams.get('cursor') ?? undefined) });
  }
  const org = request.headers['x-organization'];
  if (typeof org !== 'string' || !/^[a-z0-9]+$/.test(org)) {
    return send(response, { status: 401, body: { code: 'no-organization' } });
  }
  const page = request.method === 'GET' ? /^\/projects\/[\w-]+\/(board|live)$/.exec(url.pathname)?.[1] : undefined;
  if (page === 'live') return await answerNodeRequest(watchBoard, request, response);
  if (page === 'board') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(BOARD);
    return;
  }
  for (const [method, path, run] of ROUTES) {
    const match = method === request.method ? path.exec(url.pathname) : null;
    if (match === null) continue;
    const session = Session.from(/(?:^|; )s=([^;]*)/.exec(request.headers.cookie ?? '')?.[1], { key });
    const tracker = trackerOf(store, org, session);
    try {
      const body = await run({ tracker, names: match.slice(1), query: url.searchParams, request });
      response.setHeader('set-cookie', `s=${session.token()}; HttpOnly; Path=/`);
      return send(response, body === null ? { status: 404, body: { code: 'not-found' } } : { body: body ?? {} });
    } catch (error) {
      // A failed write may still have happened, so keep the session: the client's next read shows it.
      response.setHeader('set-cookie', `s=${session.token()}; HttpOnly; Path=/`);
      throw error;
    }
  }
  send(response, { status: 404, body: { code: 'no-route' } });
}

function send(response: ServerResponse, { status = 200, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body, (_, value: unknown) => (value instanceof Set ? [...value] : value)));
}

async function bodyOf<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as T;
}

async function* linesOf(request: IncomingMessage): AsyncGenerator<{ key: string; labels: string[] }> {
  for await (const line of createInterface({ input: request })) if (line !== '') yield JSON.parse(line);
}

function closedSignal(request: IncomingMessage): AbortSignal {
  const controller = new AbortController();
  request.once('close', () => {
    if (!request.complete) controller.abort(new Error('The client is gone.'));
  });
  return controller.signal;
}

function filterOf(query: URLSearchParams): TicketFilter {
  const status = query.get('status');
  const assignee = query.get('assignee');
  if (status !== null && status !== 'OPEN' && status !== 'DONE') {
    throw new EdgeloomError(
      'invalid-argument',
      `There is no status ${JSON.stringify(status)}.`,
      'Ask for OPEN or DONE.',
    );
  }
  return { ...(status !== null && { status }), ...(assignee !== null && { assignee }) };
}

function pageOf(query: URLSearchParams): { cursor?: string; limit?: number } {
  const cursor = query.get('cursor');
  const limit = query.get('limit');
  return { ...(cursor !== null && { cursor }), ...(limit !== null && { limit: Number(limit) }) };
}
