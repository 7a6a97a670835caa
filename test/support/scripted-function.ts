import type { LambdaStreamEvent } from '../../packages/local/emulator/mapping/lambda-record.ts';
import type { InvokeResult, LambdaFunction } from '../../packages/local/emulator/mapping/mapping-types.ts';

/** What a test's function does with the sequence numbers of a batch: gives what the handler returns, or throws. */
export type Script = (sequenceNumbers: readonly string[], event: LambdaStreamEvent) => unknown;

/** A function that does as a test says, and remembers its batches. */
export class ScriptedFunction implements LambdaFunction {
  readonly arn = 'arn:aws:lambda:us-east-1:000000000000:function:scripted';
  /** Sequence numbers of each invocation. */
  readonly batches: string[][] = [];
  readonly events: LambdaStreamEvent[] = [];

  constructor(private readonly script: Script = () => undefined) {}

  async invoke(event: LambdaStreamEvent): Promise<InvokeResult> {
    const sequenceNumbers = event.Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
    this.batches.push(sequenceNumbers);
    this.events.push(event);
    try {
      return { kind: 'response', payload: await this.script(sequenceNumbers, event) };
    } catch (error) {
      const { name, message } = error as Error;
      return { kind: 'error', errorType: name, errorMessage: message };
    }
  }
}

/** A response that reports these records. */
export function failures(...sequenceNumbers: readonly string[]) {
  return { batchItemFailures: sequenceNumbers.map((itemIdentifier) => ({ itemIdentifier })) };
}
