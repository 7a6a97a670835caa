import { type Write, writesBetween } from '../by-hand.ts';
import type { Handler } from '../event.ts';
import type { LambdaStream } from './library.ts';

// Uses the library's default of four parallel units of work. The library has no step that deletes.

export function lambdaStreamHandler(library: LambdaStream, tableName: string): Handler {
  const { fromDynamodb, updateDynamoDB, updateExpression, toPromise } = library;
  const requestOf = (write: Write): object => {
    const { key: Key } = write;
    if (write.kind === 'put') return { Key, ...updateExpression(write.item) };
    if (write.kind === 'attributes') return { Key, ...updateExpression({ attributes: write.attributes }) };
    if (write.kind === 'remove') {
      return {
        Key,
        UpdateExpression: 'REMOVE gsi0pk, gsi0sk, gsi1pk, gsi1sk, #a, #v',
        ExpressionAttributeNames: { '#a': 'attributes', '#v': 'value' },
      };
    }
    return {
      Key,
      UpdateExpression: `${write.kind === 'add' ? 'ADD' : 'DELETE'} #e :e`,
      ExpressionAttributeNames: { '#e': 'edgeSet' },
      ExpressionAttributeValues: { ':e': new Set([write.element]) },
    };
  };
  return (event) =>
    fromDynamodb(event, { pkFn: 'source', skFn: 'target' })
      .map((unit) => {
        const { old, new: current } = unit.event.raw;
        return writesBetween(old, current).map((write) => ({ ...unit, updateRequest: requestOf(write) }));
      })
      .flatten()
      .through(updateDynamoDB({ tableName }))
      .through(toPromise);
}
