import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export interface DynamoDBRecord {
  dynamodb?: {
    OldImage?: Record<string, AttributeValue>;
    NewImage?: Record<string, AttributeValue>;
  };
}

export interface StreamEvent {
  Records: DynamoDBRecord[];
}

export type Handler = (event: StreamEvent) => Promise<unknown>;
