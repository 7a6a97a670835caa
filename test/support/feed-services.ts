import { createServer, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening } from './local-server.ts';

/** A message as Lambda hands it over. */
export interface WaitingMessage {
  messageId: string;
  body: string;
  attributes: { MessageGroupId: string };
}

/** An answer of a service that fails: its status and its type of error. */
export interface Refusal {
  status: number;
  type: string;
}

/** The faults of a stand-in; each is asked for before a call, or for an entry. */
export interface FeedFaults {
  /** Undefined: the call is answered; `'lost'`: it is carried out, and its answer is lost. */
  call(name: string, input: Readonly<Record<string, unknown>>): Refusal | 'lost' | undefined;
  /** Whether an entry of a call is refused; EventBridge gives the code that is named. */
  entry(name: string, entry: { Detail?: string }): boolean | string;
}

/** What stands for a FIFO queue of SQS and an event bus of EventBridge: they speak the wire formats of both, with faults. */
export interface FeedServices {
  endpoint: string;
  queueUrl: string;
  deadLettersUrl: string;
  /** In the order in which the queue has taken them. */
  messages: WaitingMessage[];
  /** Those of the queue for what nobody takes. */
  deadLetters: WaitingMessage[];
  /** The details of the events that the bus has taken, in that order. */
  events: string[];
  /** The inputs of all calls, by their names. */
  calls: { name: string; input: Record<string, unknown>; headers: IncomingMessage['headers'] }[];
  faults: FeedFaults;
  stop(): Promise<void>;
}

interface Entry {
  Id?: string;
  MessageBody?: string;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
  Detail?: string;
}

/** The most bytes of a call of either service. */
const MOST_BYTES = 262_144;

/** Starts both services, without faults. */
export async function startFeedServices(): Promise<FeedServices> {
  const seen = new Set<string>();
  let ids = 0;
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const name = String(request.headers['x-amz-target']).split('.')[1]!;
      const input = JSON.parse(text) as { Entries: Entry[]; QueueUrl?: string };
      services.calls.push({ name, input: input as never, headers: request.headers });
      const fault = services.faults.call(name, input as never);
      const { Entries } = input;
      const bytes = Entries.reduce(
        (sum, { MessageBody = '', Detail = '' }) => sum + Buffer.byteLength(MessageBody + Detail),
        0,
      );
      if (fault !== undefined && fault !== 'lost') {
        response
          .writeHead(fault.status)
          .end(JSON.stringify({ __type: `com.amazonaws#${fault.type}`, message: 'no "room"' }));
        return;
      }
      if (Entries.length === 0 || Entries.length > 10 || bytes > MOST_BYTES) {
        response.writeHead(400).end(JSON.stringify({ __type: 'ValidationException' }));
        return;
      }
      const output = name === 'PutEvents' ? put(Entries) : send(Entries, input.QueueUrl ?? '');
      if (fault === 'lost') response.destroy();
      else response.writeHead(200).end(JSON.stringify(output));
    });
  });
  const send = (entries: readonly Entry[], queueUrl: string) => {
    const queue = /dead-letters/.test(queueUrl) ? services.deadLetters : services.messages;
    const output = { Successful: [] as { Id: string }[], Failed: [] as object[] };
    for (const { Id = '', MessageBody = '', MessageGroupId = '', MessageDeduplicationId = '' } of entries) {
      if (services.faults.entry('SendMessageBatch', {})) {
        output.Failed.push({ Id, Code: 'InternalError', SenderFault: false });
        continue;
      }
      output.Successful.push({ Id });
      const once = `${queueUrl} ${MessageGroupId} ${MessageDeduplicationId}`;
      if (seen.has(once)) continue;
      seen.add(once);
      queue.push({ messageId: `m${ids++}`, body: MessageBody, attributes: { MessageGroupId } });
    }
    return output;
  };
  const put = (entries: readonly Entry[]) => {
    const Entries = entries.map(({ Detail = '' }) => {
      const fault = services.faults.entry('PutEvents', { Detail });
      if (fault !== false) return { ErrorCode: typeof fault === 'string' ? fault : 'ThrottlingException' };
      services.events.push(Detail);
      return { EventId: `e${services.events.length}` };
    });
    return { FailedEntryCount: Entries.filter(({ ErrorCode }) => ErrorCode !== undefined).length, Entries };
  };
  const { endpoint, stop } = await listening(server);
  const services: FeedServices = {
    ...{ endpoint, queueUrl: `${endpoint}/123456789012/feed.fifo`, messages: [], events: [], calls: [] },
    ...{ deadLettersUrl: `${endpoint}/123456789012/feed-dead-letters.fifo`, deadLetters: [] },
    faults: { call: () => undefined, entry: () => false },
    stop,
  };
  return services;
}
