import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { type CallService, jsonService, SQS } from '../../src/store/client/json-service.ts';
import { listening } from './local-server.ts';

/** What stands for SQS and S3 in tests: no engine for them is installed from npm. It speaks their wire formats. */
export interface QueueServer {
  endpoint: string;
  /** The queue to receive from; `messages` are what is in it. */
  queueUrl: string;
  messages: Map<string, string>;
  /** Objects that can be read, by `/bucket/key`. */
  objects: Map<string, string>;
  stop(): Promise<void>;
}

/** The calls of a queue on this machine. */
export const openQueue = async (endpoint: string): Promise<CallService> => jsonService(SQS, { endpoint });

/** Starts a server with one queue. Messages that were received and not deleted come again with the next call. */
export async function startQueueServer(): Promise<QueueServer> {
  const messages = new Map<string, string>();
  const objects = new Map<string, string>();
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      if (request.method === 'GET') {
        const object = objects.get(decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
        response.writeHead(object === undefined ? 404 : 200).end(object ?? '<Error><Code>NoSuchKey</Code></Error>');
        return;
      }
      const target = String(request.headers['x-amz-target']);
      const input = JSON.parse(text) as {
        ReceiptHandle?: string;
        MaxNumberOfMessages?: number;
        QueueUrl?: string;
        MessageBody?: string;
      };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      if (target === 'AmazonSQS.SendMessage') {
        messages.set(input.QueueUrl ?? '', input.MessageBody ?? '');
        response.end('{}');
        return;
      }
      if (target === 'AmazonSQS.DeleteMessage') {
        messages.delete(input.ReceiptHandle ?? '');
        response.end('{}');
        return;
      }
      const received = [...messages].slice(0, input.MaxNumberOfMessages ?? 1).map(([id, body]) => ({
        ...{ MessageId: id, ReceiptHandle: id, Body: body },
        MD5OfBody: createHash('md5').update(body).digest('hex'),
      }));
      response.end(JSON.stringify(received.length === 0 ? {} : { Messages: received }));
    });
  });
  const { endpoint, stop } = await listening(server);
  return {
    ...{ endpoint, queueUrl: `${endpoint}/123456789012/failed-batches`, messages, objects },
    stop,
  };
}
