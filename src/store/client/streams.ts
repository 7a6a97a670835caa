import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { checkOptions } from '../../foundation/options.ts';
import { WholeBodyAgent } from './http.ts';
import { CLIENT_OPTIONS, type ClientOptions, clientConfig } from './options.ts';

/** Creates a client for DynamoDB Streams. */
export function createStreamsClient(options: ClientOptions = {}): DynamoDBStreamsClient {
  checkOptions('createStreamsClient', options, CLIENT_OPTIONS);
  return new DynamoDBStreamsClient({
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: new WholeBodyAgent(options) }),
  });
}
