/**
 * A small runtime client, run as a process of its own: it loads a module with a handler, TypeScript or JavaScript, and
 * serves Lambda's Runtime API with it. Lambda's own client wants a newer Node and cannot load TypeScript; what it does
 * for a handler that returns a promise is done here too.
 *
 * Arguments: the module's path, and the name of its export.
 */
import { resolve } from 'node:path';
import { createModuleLoader } from '../../../../src/deployment/package/module-loader.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { functionRuntime } from './environment.ts';

/** Taken before the handler is loaded, which may replace the global one. */
const { fetch } = globalThis;

type Handler = (event: unknown, context: object) => unknown;

const { runtimeApi, name, version, memorySizeMb, logGroup, logStream } = functionRuntime();
const base = `http://${runtimeApi}/2018-06-01/runtime`;

async function loadHandler(file: string, exportName: string): Promise<Handler> {
  const loader = await createModuleLoader();
  const loaded: unknown = await loader.import(resolve(file));
  const handler = (loaded as Record<string, unknown> | undefined)?.[exportName];
  if (typeof handler === 'function') return handler as Handler;
  throw new EdgeloomError(
    'no-handler',
    `The module ${file} exports no function ${exportName}.`,
    'Export the handler under this name.',
  );
}

async function serve(handler: Handler): Promise<never> {
  for (;;) {
    const next = await fetch(`${base}/invocation/next`);
    const requestId = next.headers.get('lambda-runtime-aws-request-id') ?? '';
    const deadlineMs = Number(next.headers.get('lambda-runtime-deadline-ms'));
    const context = {
      functionName: name,
      functionVersion: version,
      memoryLimitInMB: memorySizeMb,
      logGroupName: logGroup,
      logStreamName: logStream,
      awsRequestId: requestId,
      invokedFunctionArn: next.headers.get('lambda-runtime-invoked-function-arn') ?? '',
      getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    };
    const event: unknown = await next.json();
    try {
      const answer = JSON.stringify(await handler(event, context)) ?? 'null';
      await post(`invocation/${requestId}/response`, answer);
    } catch (error) {
      process.stderr.write(`${errorText(error)}\n`);
      await post(`invocation/${requestId}/error`, errorBody(error));
    }
  }
}

async function post(path: string, body: string): Promise<void> {
  const response = await fetch(`${base}/${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  await response.arrayBuffer();
}

function errorBody(error: unknown): string {
  const { name: errorType, message, stack } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({ errorType, errorMessage: message, stackTrace: stack?.split('\n') });
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const [file = '', exportName = 'handler'] = process.argv.slice(2);
try {
  await serve(
    await loadHandler(file, exportName).catch(async (error: unknown) => {
      process.stderr.write(`${errorText(error)}\n`);
      await post('init/error', errorBody(error));
      process.exit(1);
    }),
  );
} catch {
  // The API is gone, and with it the program that started this process.
  process.exit(1);
}
