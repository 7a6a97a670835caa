import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { Signer } from '../lean/signer.ts';
import { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/** Called without the service's SDK client, which functions would have to load, and without retries. */
export interface JsonService {
  name: string;
  target: string;
  contentType: string;
}

export const SQS: JsonService = { name: 'sqs', target: 'AmazonSQS', contentType: 'application/x-amz-json-1.0' };
export const EVENT_BRIDGE: JsonService = {
  name: 'events',
  target: 'AWSEvents',
  contentType: 'application/x-amz-json-1.1',
};

export type CallService = (call: string, input: object) => Promise<Readonly<Record<string, unknown>>>;

export function jsonService(service: JsonService, options: ClientOptions): CallService {
  const { region, credentials, endpoint = standardEndpoint(service, region) } = clientConfig(options);
  if (region === undefined || typeof credentials !== 'object') {
    throw new EdgeloomError(
      'invalid-environment',
      `Calls of ${service.name} need a region and credentials in the environment.`,
      'Lambda sets AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; elsewhere set them.',
    );
  }
  const { origin, host } = new URL(endpoint);
  const { name, target, contentType } = service;
  const signer = new Signer(credentials, { host, path: '/', region, service: name, contentType });
  const agent = new WholeBodyAgent(options);
  return async (call, input) => {
    const body = JSON.stringify(input);
    const headers = signer.headers(`${target}.${call}`, body, Date.now());
    const answer = await agent.whole({ origin, path: '/', method: 'POST', headers, body }).catch((error: unknown) => {
      throw new StoreError(
        'retryable',
        'no-connection',
        `${name} ${call} got no answer.`,
        `Check that the network lets this process reach ${host}.`,
        { cause: error },
      );
    });
    const text = answer.body.toString('utf8');
    if (answer.statusCode === 200) return JSON.parse(text) as Record<string, unknown>;
    throw refusalError(`${name} ${call}`, answer.statusCode, text);
  };
}

export function standardEndpoint({ name }: JsonService, region = ''): string {
  return `https://${name}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

const THROTTLED = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|OverLimit|ServiceUnavailable|InternalFailure/;

function refusalError(call: string, status: number, text: string): StoreError {
  const { __type, message, Message = message } = membersOf(text);
  const type = typeof __type === 'string' ? __type.slice(__type.indexOf('#') + 1) : `status ${status}`;
  const isRetryable = status >= 500 || status === 429 || THROTTLED.test(type);
  return new StoreError(
    isRetryable ? 'retryable' : 'fatal',
    type,
    `${call} was refused: ${type}${typeof Message === 'string' ? `, ${Message}` : ''}.`,
    isRetryable ? undefined : 'Check the rights of the role and the name of the resource in the message.',
  );
}

/** The text may be a proxy's error page. */
function membersOf(text: string): { __type?: unknown; message?: unknown; Message?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
