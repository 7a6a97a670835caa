import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { EdgeloomError } from '../errors.ts';
import { type ClientOptions, clientConfig } from '../store/client.ts';
import type { ReadObject } from './failure-message.ts';

/**
 * Reads objects with one S3 client. A file of its own, with a static import: a bundler then takes of the client only what
 * reading an object needs. Throws `unreadable-object` where an object cannot be read.
 */
export function openBuckets(client: Omit<ClientOptions, 'endpoint'>): ReadObject {
  const s3 = new S3Client(clientConfig(client));
  return async (bucket, key) => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return (await Body?.transformToString('utf-8')) ?? '';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EdgeloomError(
        'unreadable-object',
        `The object ${key} of bucket ${bucket} cannot be read: ${reason}.`,
        'It keeps the failed batch; allow s3:GetObject on it.',
        { cause: error },
      );
    }
  };
}
