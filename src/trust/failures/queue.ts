import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ClientOptions } from '../../store/client/options.ts';
import { serviceConfig } from '../../store/client/service.ts';
import type { SendMessage } from './failure-message.ts';

/** In its own file with a static import, so that a bundler includes only the parts of the client that sending needs. */
export function openQueues(client: Omit<ClientOptions, 'endpoint'>): SendMessage {
  const sqs = new SQSClient(serviceConfig(client));
  return async (queueArn, body) => {
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrlOf(queueArn), MessageBody: body }));
  };
}

/** `arn:aws:sqs:eu-central-1:123456789012:failed` is at `sqs.eu-central-1.amazonaws.com`. */
function queueUrlOf(queueArn: string): string {
  const [, partition, , region, account, name] = queueArn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://sqs.${region}.${domain}/${account}/${name}`;
}
