import { classifyError } from '../../../src/store/classify.ts';
import { type CallService, type JsonService, jsonService } from '../../../src/store/client/json-service.ts';
import { isLoopback } from '../../../src/store/client/options.ts';
import { createClient } from '../../../src/store/client.ts';
import type { Settings } from './settings.ts';

export async function awsService(
  service: JsonService,
  { client: settings }: Pick<Settings, 'client'>,
  endpoint: string | undefined,
): Promise<CallService> {
  const { endpoint: _, ...ofClient } = settings;
  if (isLoopback(endpoint)) return jsonService(service, { ...ofClient, endpoint });
  const client = createClient(ofClient);
  try {
    const credentials = await client.config.credentials();
    return jsonService(service, { region: await client.config.region(), credentials, endpoint });
  } catch (error) {
    throw classifyError(error);
  } finally {
    client.destroy();
  }
}
