import { createServer, type Socket } from 'node:net';
import { endWithParent } from './end-with-parent.ts';

/**
 * A table that costs nothing, as a process of its own: whatever it is asked, it answers at once with the same bytes, as
 * DynamoDB answers for an item of a KB that was written, or is not there. Prints its port. Its second argument has other
 * answers, by the names of the calls.
 */

const UNITS = '"ConsumedCapacity":{"TableName":"bench","CapacityUnits":1}';
const UNITS_OF_MANY = '"ConsumedCapacity":[{"TableName":"bench","CapacityUnits":1}]';
const ANSWERS: Readonly<Record<string, Buffer>> = {
  UpdateItem: answer(`{${UNITS}}`),
  PutItem: answer(`{${UNITS}}`),
  DeleteItem: answer(`{${UNITS}}`),
  GetItem: answer(`{${UNITS}}`),
  Query: answer(`{"Items":[],"Count":0,"ScannedCount":0,${UNITS}}`),
  Scan: answer(`{"Items":[],"Count":0,"ScannedCount":0,${UNITS}}`),
  BatchGetItem: answer(`{"Responses":{"bench":[]},"UnprocessedKeys":{},${UNITS_OF_MANY}}`),
  BatchWriteItem: answer(`{"UnprocessedItems":{},${UNITS_OF_MANY}}`),
  TransactWriteItems: answer(`{${UNITS_OF_MANY}}`),
  ...givenAnswers(),
};

function givenAnswers(): Record<string, Buffer> {
  const given = JSON.parse(process.argv[3] ?? '{}') as Record<string, object>;
  return Object.fromEntries(Object.entries(given).map(([name, body]) => [name, answer(JSON.stringify(body))]));
}

/** Milliseconds before each answer. */
const delayMs = Number(process.argv[2] ?? 0);

function answer(body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n${body}`,
  );
}

function serve(socket: Socket): void {
  let buffered = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    // Latin-1: a character for each byte, so that lengths are those of the bytes.
    buffered += chunk.toString('latin1');
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = buffered.slice(0, end);
      const length = Number(/content-length: ?(\d+)/i.exec(head)?.[1] ?? 0);
      if (buffered.length < end + 4 + length) return;
      const operation = /x-amz-target: ?DynamoDB_\d+\.(\w+)/i.exec(head)?.[1] ?? '';
      buffered = buffered.slice(end + 4 + length);
      const bytes = ANSWERS[operation] ?? ANSWERS['GetItem']!;
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
