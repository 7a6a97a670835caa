import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { noteTimeOfAnswer } from './answer-time.ts';

/** Keeps the header with DynamoDB's time, which the SDK drops. */
export class TimedDescribeTableCommand extends DescribeTableCommand {
  constructor(input: DescribeTableCommand['input']) {
    super(input);
    this.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { headers } = result.response as { headers?: Record<string, string> };
        if (result.output !== undefined) noteTimeOfAnswer(result.output, headers ?? {});
        return result;
      },
      { step: 'deserialize', name: 'noteServerTime', priority: 'high' },
    );
  }
}
