import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export interface DynamoDBRecord {
  eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  dynamodb?: {
    OldImage?: Record<string, AttributeValue>;
    NewImage?: Record<string, AttributeValue>;
    SequenceNumber?: string;
  };
}

export interface StreamEvent {
  Records: DynamoDBRecord[];
}

export type Handler = (event: StreamEvent) => Promise<unknown>;
