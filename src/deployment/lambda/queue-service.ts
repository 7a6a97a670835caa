import { type CallService, jsonService, SQS, standardEndpoint } from '../../store/client/json-service.ts';
import { credentialsOf } from '../../store/environment.ts';
import type { SendMessage } from '../../trust/failures/failure-message.ts';

export function queueService(endpoint: string, region: string | undefined): CallService {
  return jsonService(SQS, { region, credentials: credentialsOf(process.env), endpoint: new URL(endpoint).origin });
}

export const sendToQueue: SendMessage = async (queueArn, body) => {
  const [, , , region, account, name] = queueArn.split(':');
  const standard = standardEndpoint(SQS, region);
  const call = queueService(process.env['AWS_ENDPOINT_URL'] || standard, region);
  await call('SendMessage', { QueueUrl: `${standard}/${account}/${name}`, MessageBody: body });
};
