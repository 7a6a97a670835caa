import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { installedPackage } from '../../../test/support/test-package.ts';
import type { StreamEvent } from '../event.ts';

/** Has its own folder, because its peer dependencies are old major versions of the SDK. */

export interface UnitOfWork {
  event: { raw: { old?: Record<string, unknown>; new?: Record<string, unknown> } };
  updateRequest?: object;
}

/** The part of Highland's type that is used. */
export interface Stream<T> {
  map<U>(mapping: (value: T) => U): Stream<U>;
  flatten(): Stream<T extends readonly (infer U)[] ? U : T>;
  through<R>(step: (stream: Stream<T>) => R): R;
}

/** The part of the library that is used. It has no types. */
export interface LambdaStream {
  fromDynamodb(event: StreamEvent, options: { pkFn: string; skFn: string }): Stream<UnitOfWork>;
  updateDynamoDB(options: { tableName: string }): (stream: Stream<UnitOfWork>) => Stream<UnitOfWork>;
  updateExpression(item: Record<string, unknown>): object;
  toPromise(stream: Stream<UnitOfWork>): Promise<unknown>;
}

/** Installs the library if it is missing. The library's clients send their calls to `client`. */
export async function loadLambdaStream({ config }: DynamoDBClient): Promise<LambdaStream> {
  const folder = await installedPackage(join(process.cwd(), 'bench/peers/aws-lambda-stream'));
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' });
  const require = createRequire(join(folder, 'package.json'));
  const { NodeHttpHandler } = require('@smithy/node-http-handler') as { NodeHttpHandler: { prototype: object } };
  const { requestHandler } = config;
  Object.assign(NodeHttpHandler.prototype, { handle: requestHandler.handle.bind(requestHandler) });
  return require('aws-lambda-stream') as LambdaStream;
}
