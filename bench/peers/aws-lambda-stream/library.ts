import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { installedPackage } from '../../../test/support/test-package.ts';
import type { StreamEvent } from '../event.ts';

/** In a folder of its own: its peer dependencies are old majors of the SDK. */

/** A record, and what steps have added. */
export interface UnitOfWork {
  event: { raw: { old?: Record<string, unknown>; new?: Record<string, unknown> } };
  updateRequest?: object;
}

/** Highland's, as far as used. */
export interface Stream<T> {
  map<U>(mapping: (value: T) => U): Stream<U>;
  flatten(): Stream<T extends readonly (infer U)[] ? U : T>;
  through<R>(step: (stream: Stream<T>) => R): R;
}

/** As far as used; it has no types. */
export interface LambdaStream {
  fromDynamodb(event: StreamEvent, options: { pkFn: string; skFn: string }): Stream<UnitOfWork>;
  updateDynamoDB(options: { tableName: string }): (stream: Stream<UnitOfWork>) => Stream<UnitOfWork>;
  updateExpression(item: Record<string, unknown>): object;
  toPromise(stream: Stream<UnitOfWork>): Promise<unknown>;
}

/** Installs it first where it is missing. Its clients send their calls to `client`. */
export async function loadLambdaStream({ config }: DynamoDBClient): Promise<LambdaStream> {
  const folder = await installedPackage(join(process.cwd(), 'bench/peers/aws-lambda-stream'));
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' });
  const require = createRequire(join(folder, 'package.json'));
  const { NodeHttpHandler } = require('@smithy/node-http-handler') as { NodeHttpHandler: { prototype: object } };
  const { requestHandler } = config;
  Object.assign(NodeHttpHandler.prototype, { handle: requestHandler.handle.bind(requestHandler) });
  return require('aws-lambda-stream') as LambdaStream;
}
