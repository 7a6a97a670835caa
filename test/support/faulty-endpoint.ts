import { createServer, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening, passOn } from './local-server.ts';

/** One call to DynamoDB. */
export interface EndpointCall {
  /** Such as `UpdateItem`. */
  operation: string;
  /** The request, as JSON text. */
  body: string;
}

/**
 * What goes wrong with a call: it is refused for lack of a permission or as invalid, it is never answered, or it is answered with a text of
 * status 200, once the engine has carried it out where `applied` says so.
 */
export type FaultKind = 'refused' | 'invalid' | 'silent' | { text: string; applied?: boolean };

/** What happens to a call before it reaches the engine: nothing, or a fault. A promise holds it up meanwhile. */
export type Fault = (call: EndpointCall) => Promise<FaultKind | undefined> | FaultKind | undefined;

const DENIED = {
  __type: 'com.amazon.coral.service#AccessDeniedException',
  message: 'User: test is not authorized to perform this.',
};
const INVALID = { __type: 'com.amazon.coral.validate#ValidationException', message: 'The test refuses this.' };

/** A way to the engine on which a test holds up or refuses single calls. */
export async function startFaultyEndpoint(target: string, fault: Fault) {
  const server = createServer((request, response) => {
    answer(target, request, fault)
      .then(({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
      })
      // The caller may have died meanwhile, which is what some tests want.
      .catch((error: unknown) => response.destroy(error as Error));
  });
  return await listening(server);
}

async function answer(
  target: string,
  request: IncomingMessage,
  fault: Fault,
): Promise<{ status: number; text: string }> {
  const body = await textOf(request);
  const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
  const found = await fault({ operation, body });
  if (found === 'refused') return { status: 400, text: JSON.stringify(DENIED) };
  if (found === 'invalid') return { status: 400, text: JSON.stringify(INVALID) };
  if (found === 'silent') return await new Promise<never>(() => undefined);
  if (found !== undefined && found.applied !== true) return { status: 200, text: found.text };
  const answered = await passOn(target, request.headers, body);
  return found === undefined ? answered : { status: 200, text: found.text };
}
