import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { EdgeloomError, messageOf } from '../../foundation/errors.ts';
import type { ClientOptions } from '../../store/client/options.ts';
import { serviceConfig } from '../../store/client/service.ts';
import type { BucketAccess } from './failure-message.ts';

/**
 * Has its own file with a static import, so that a bundler includes only these two S3 commands. The functions throw
 * `object-failed`.
 */
export function openBuckets(client: Omit<ClientOptions, 'endpoint'>): BucketAccess {
  const s3 = new S3Client(serviceConfig(client));
  return {
    readObject: async (bucket, key) => {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return (await Body?.transformToString('utf-8')) ?? '';
      } catch (error) {
        throw new EdgeloomError(
          'object-failed',
          `The object ${key} of bucket ${bucket} cannot be read: ${messageOf(error)}.`,
          'It keeps the failed batch; allow s3:GetObject on it.',
          { cause: error },
        );
      }
    },
    deleteObject: async (bucket, key) => {
      try {
        await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      } catch (error) {
        throw new EdgeloomError(
          'object-failed',
          `The object ${key} of bucket ${bucket} cannot be deleted: ${messageOf(error)}.`,
          'Its batch is reconciled; allow s3:DeleteObject on it.',
          { cause: error },
        );
      }
    },
  };
}
