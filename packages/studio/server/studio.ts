import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packageFile } from '../../../src/deployment/package/package-files.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { failureDocument } from '../../../src/foundation/failure-document.ts';
import type { Logger } from '../../../src/foundation/logger.ts';
import { registryLeases } from '../../../src/registry/reader-lease.ts';
import { CheckJob } from '../base/check-job.ts';
import { CurrentPosition, type StudioContext, type StudioTable, streamOfTable } from '../base/context.ts';
import { Flow } from '../base/flow.ts';
import { Guard } from '../base/guard.ts';
import { send, sendJson } from '../base/http.ts';
import { ProjectorTap } from '../base/projector-tap.ts';
import { TableSample } from '../base/table-sample.ts';
import { answerRequest } from './answers.ts';

export interface StudioOptions extends StudioTable {
  port?: number | undefined;
  /** Allows redrive, repair and edits. Default: false. */
  isWritable?: boolean | undefined;
  logger: Logger;
  page?: URL | undefined;
}

export interface Studio {
  /** Contains the token in its fragment. */
  url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** Relative to the package, even if the server runs from its sources. */
const PAGE_FOLDER = 'dist/studio/page/';
const PLACES = new Set(['/', '/query', '/node', '/trace', '/trust']);

export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { port = 0, isWritable = false, page = packageFile(PAGE_FOLDER), tap = new ProjectorTap(), ...given } = options;
  const table = { ...given, tap, store: tap.around(given.graph.table, given.store) };
  const assets = loadAssets(page);
  const leases = registryLeases(table.graph, table.store);
  const checks = new CheckJob();
  const flow = new Flow(table.graph, () => streamOfTable(table));
  const context: StudioContext = {
    ...table,
    isWritable,
    leases,
    checks,
    position: new CurrentPosition(table, isWritable),
    flow,
    sample: new TableSample(),
  };
  const server = createServer();
  const address = await listen(server, port);
  const guard = new Guard(address.port);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    serve({ context, guard, assets }, request, response).catch((error: unknown) => {
      // `serve` answers request errors itself, so this is a connection error or a bug.
      context.logger.error({ code: (error as { code?: string }).code ?? 'unexpected' }, 'A request failed.');
      response.destroy();
    });
  });
  return {
    url: `http://${LOOPBACK}:${address.port}/#token=${guard.token}`,
    close: async () => {
      await checks.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Serving {
  context: StudioContext;
  guard: Guard;
  assets: ReadonlyMap<string, Asset>;
}

async function serve(
  { context, guard, assets }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method } = request;
  const url = new URL(`http://${LOOPBACK}${request.url}`);
  const isData = url.pathname.startsWith('/api/');
  const refusal = isData ? guard.refusalOfData(headers) : guard.refusalOfPage(headers);
  if (refusal !== undefined) {
    context.logger.warn({ refusal, method }, 'refused');
    if (refusal === 'unknown') sendJson(response, 403, failureDocument(tokenMissing()));
    else send(response, 403, 'text/plain; charset=utf-8', 'Only the page of the studio may send this request.\n');
  } else if (isData) {
    await answerRequest(context, request, url, response);
  } else {
    const asset = assets.get(PLACES.has(url.pathname) ? 'page.html' : url.pathname.slice(1));
    const isRead = method === 'GET' || method === 'HEAD';
    if (asset === undefined || !isRead) send(response, 404, 'text/plain; charset=utf-8', 'There is no such page.\n');
    else send(response, 200, asset.type, asset.body);
  }
}

function tokenMissing(): EdgeloomError {
  return new EdgeloomError(
    'no-studio-token',
    'The page was not opened with the address of this studio.',
    'Open the address that edgeloom studio printed. A restarted studio has a new address.',
  );
}

async function listen(server: Server, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new EdgeloomError(
          'port-in-use',
          `The studio cannot listen on port ${port}: ${error.code}.`,
          'Give another --port.',
        ),
      );
    });
    server.listen(port, LOOPBACK, resolve);
  });
  return server.address() as AddressInfo;
}

interface Asset {
  type: string;
  body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  'page.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
};

function loadAssets(folder: URL): ReadonlyMap<string, Asset> {
  try {
    return new Map(
      Object.entries(TYPES).map(([name, type]) => [name, { type, body: readFileSync(new URL(name, folder)) }]),
    );
  } catch (error) {
    throw new EdgeloomError('file-failed', 'The page of the studio is not built.', 'Run npm run build in the clone.', {
      cause: error,
    });
  }
}
