import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isLoopback } from '../../../src/store/client/options.ts';
import type { CodeClient } from './query-code.ts';

export async function placeOf({ config }: DynamoDBClient): Promise<CodeClient> {
  const endpoint = await config.endpoint?.();
  if (endpoint === undefined) return { region: await config.region() };
  const { protocol, hostname, port, path } = endpoint;
  return { endpoint: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path === '/' ? '' : path}` };
}

export async function isLocal(client: DynamoDBClient): Promise<boolean> {
  const place = await placeOf(client);
  return 'endpoint' in place && isLoopback(place.endpoint);
}
