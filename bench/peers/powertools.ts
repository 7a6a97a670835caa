import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { applier } from './document-client.ts';
import type { Handler } from './event.ts';

// Powertools' batch processor reports a failed record without repeating the others.

export function powertoolsHandler(client: DynamoDBClient, table: string, processInParallel: boolean): Handler {
  const processor = new BatchProcessor(EventType.DynamoDBStreams);
  const apply = applier(client, table);
  return async (event) => processPartialResponse(event as never, apply as never, processor, { processInParallel });
}
