import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Input, Tables } from './definitions.ts';
import { getBatch, getOne, query, scan } from './reads.ts';
import { Refusal } from './refusal.ts';
import { executeBatch, executeOne } from './statements.ts';
import { describeStream, getRecords, getShardIterator, listStreams } from './stream-calls.ts';
import { Transactions, writeBatch, writeOne } from './writes.ts';

const MOST_BODY_BYTES = 16 * 1024 * 1024;

type Calls = Record<string, (input: Input) => object>;

/** Returns the implemented calls by the name in a request's `X-Amz-Target`. */
export function memoryCalls(tables = new Tables()): Calls {
  const transactions = new Transactions(tables);
  const items: Calls = {
    CreateTable: (input) => tables.create(input),
    DescribeTable: (input) => tables.describe(input),
    DeleteTable: (input) => tables.delete(input),
    UpdateTable: (input) => tables.update(input),
    ListTables: (input) => tables.list(input),
    UpdateTimeToLive: (input) => tables.updateTtl(input),
    DescribeTimeToLive: (input) => tables.describeTtl(input),
    GetItem: (input) => getOne(tables, input),
    BatchGetItem: (input) => getBatch(tables, input),
    Query: (input) => query(tables, input),
    Scan: (input) => scan(tables, input),
    PutItem: (input) => writeOne(tables, 'Put', input),
    UpdateItem: (input) => writeOne(tables, 'Update', input),
    DeleteItem: (input) => writeOne(tables, 'Delete', input),
    BatchWriteItem: (input) => writeBatch(tables, input),
    TransactWriteItems: (input) => transactions.write(input),
    TransactGetItems: (input) => transactions.get(input),
    BatchExecuteStatement: (input) => executeBatch(tables, input),
    ExecuteStatement: (input) => executeOne(tables, input),
  };
  const streams: Calls = {
    ListStreams: (input) => listStreams(tables, input),
    DescribeStream: (input) => describeStream(tables, input),
    GetShardIterator: (input) => getShardIterator(tables, input),
    GetRecords: (input) => getRecords(tables, input),
  };
  const named = (prefix: string, calls: Calls): Calls =>
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${prefix}.${name}`, call]));
  return { ...named('DynamoDB_20120810', items), ...named('DynamoDBStreams_20120810', streams) };
}

/**
 * Serves DynamoDB's API over HTTP from this process's memory. Calls are atomic, because each runs synchronously. Data
 * isn't kept, and signatures aren't checked. Rejects with the system's error if the port is taken.
 */
export async function startMemoryServer(port: number) {
  const calls = memoryCalls();
  const server = createServer((request, response) => void answer(calls, request, response));
  const ended = new Promise<void>((resolve) => server.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    ended,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await ended;
    },
  };
}

async function answer(calls: Calls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await callOutcome(calls, request);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}

async function callOutcome(calls: Calls, request: IncomingMessage): Promise<{ status: number; body: string }> {
  try {
    const target = request.headers['x-amz-target'];
    if (target === undefined) return { status: 200, body: 'healthy: dynamodb in memory' };
    const input = await readBody(request);
    const call = calls[String(target)];
    if (call === undefined)
      throw new Refusal('UnknownOperationException', `The engine in memory has no ${String(target)}`);
    return { status: 200, body: JSON.stringify(call(input)) };
  } catch (error) {
    const { type, message, details } =
      error instanceof Refusal ? error : new Refusal('InternalServerError', String((error as Error).stack));
    const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
    const body = JSON.stringify({ __type, message, Message: message, ...details });
    return { status: type === 'InternalServerError' ? 500 : 400, body };
  }
}

async function readBody(request: IncomingMessage): Promise<Input> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) throw new Refusal('ValidationException', 'Request size exceeded the limit of 16 MB');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Input;
  } catch {
    throw new Refusal('SerializationException', 'The body of the request is no JSON');
  }
}
