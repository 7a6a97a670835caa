import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isLoopback } from '../../../src/store/client/options.ts';
import type { CodeClient } from './query-code.ts';

/** Where the table is: an endpoint on this machine, else a region. */
export async function placeOf({ config }: DynamoDBClient): Promise<CodeClient> {
  const endpoint = await config.endpoint?.();
  if (endpoint === undefined) return { region: await config.region() };
  const { protocol, hostname, port, path } = endpoint;
  return { endpoint: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path === '/' ? '' : path}` };
}

/** True if the table is on an engine of this machine, where nobody pays for reads. */
export async function isLocal(client: DynamoDBClient): Promise<boolean> {
  const place = await placeOf(client);
  return 'endpoint' in place && isLoopback(place.endpoint);
}
