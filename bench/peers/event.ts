import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** A record of a stream, as Lambda hands it to a function. */
export interface DynamoDBRecord {
  eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  dynamodb?: {
    OldImage?: Record<string, AttributeValue>;
    NewImage?: Record<string, AttributeValue>;
    SequenceNumber?: string;
  };
}

/** What a function is called with. */
export interface StreamEvent {
  Records: DynamoDBRecord[];
}

/** A function as a user would deploy it. */
export type Handler = (event: StreamEvent) => Promise<unknown>;
