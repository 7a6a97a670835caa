import type { IncomingMessage, ServerResponse } from 'node:http';
import { failureDocument } from '../../../src/foundation/failure-document.ts';
import type { StudioContext } from '../base/context.ts';
import { COMMON_HEADERS, readBody, sendJson } from '../base/http.ts';
import { checkInput } from '../base/route.ts';
import { followTouched, touchedPlaces } from '../base/touched.ts';
import { statusOf } from './answers.ts';

/** Answers with an event, as Server-Sent Events, each time that something may have changed in one of the places that the body names. */
export async function answerWithTouched(
  context: StudioContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const held = context.live.hold();
  const gone = new AbortController();
  response.once('close', () => {
    held.release();
    gone.abort();
  });
  try {
    const places = checkInput(touchedPlaces, await readBody(request));
    await followTouched(context, await held.feed, places, gone.signal, () => {
      if (!response.headersSent) {
        response.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
      }
      response.write('event: touched\ndata: {}\n\n');
    });
  } catch (error) {
    const document = failureDocument(error);
    const { code } = document.error;
    if (!response.headersSent) sendJson(response, statusOf(error, code), document);
    else context.logger.warn({ code }, 'What is written is not told any more.');
  }
  response.end();
}
