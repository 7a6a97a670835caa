import { createServer, type Socket } from 'node:net';
import { endWithParent } from './end-with-parent.ts';
import { answerTo, readTexts } from './stored-answers.ts';

/**
 * A table in its own process that answers at once. Prints its port. Arguments: milliseconds before each answer, fixed
 * answers by call, and a file of the items that reads find.
 */

const [delay = '0', given = '{}', itemsFile] = process.argv.slice(2);
const delayMs = Number(delay);
const stored = itemsFile === undefined ? new Map<string, string>() : readTexts(itemsFile);
const fixed = new Map(
  Object.entries(JSON.parse(given) as Record<string, object>).map(([name, body]) => [
    name,
    response(200, JSON.stringify(body)),
  ]),
);

function response(status: number, body: string): Buffer {
  const head = `HTTP/1.1 ${status} Answer\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`${head}\r\nConnection: keep-alive\r\n\r\n${body}`);
}

function responseTo(call: string, body: string): Buffer {
  const ready = fixed.get(call);
  if (ready !== undefined) return ready;
  const answer = answerTo(call, body, stored);
  if (answer !== undefined) return response(200, answer);
  return response(400, JSON.stringify({ __type: 'UnknownOperationException', message: `no answer to ${call}` }));
}

function serve(socket: Socket): void {
  let buffered = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    // In Latin-1, each byte is one character.
    buffered += chunk.toString('latin1');
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = buffered.slice(0, end);
      const length = Number(/content-length: ?(\d+)/i.exec(head)?.[1] ?? 0);
      if (buffered.length < end + 4 + length) return;
      const operation = /x-amz-target: ?DynamoDB_\d+\.(\w+)/i.exec(head)?.[1] ?? '';
      const bytes = responseTo(operation, buffered.slice(end + 4, end + 4 + length));
      buffered = buffered.slice(end + 4 + length);
      if (delayMs > 0) setTimeout(() => socket.write(bytes), delayMs);
      else socket.write(bytes);
    }
  });
}

endWithParent();

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
