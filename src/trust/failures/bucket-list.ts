import { EdgeloomError, messageOf } from '../../foundation/errors.ts';
import type { ClientOptions } from '../../store/client/options.ts';
import { serviceConfig } from '../../store/client/service.ts';
import { loadOptionalPackage } from './optional-package.ts';

/**
 * Yields the keys of a bucket's objects. Throws `object-failed`, or `not-installed` if the S3 client isn't installed.
 */
export async function* listObjects(client: Omit<ClientOptions, 'endpoint'>, bucket: string): AsyncGenerator<string> {
  const { paginateListObjectsV2, S3Client } = await loadOptionalPackage(
    '@aws-sdk/client-s3',
    import('@aws-sdk/client-s3'),
  );
  const s3 = new S3Client(serviceConfig(client));
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket }))
      for (const { Key } of Contents) if (Key !== undefined) yield Key;
  } catch (error) {
    throw new EdgeloomError(
      'object-failed',
      `The objects of bucket ${bucket} cannot be listed: ${messageOf(error)}.`,
      'Name a bucket that keeps failed batches, and allow s3:ListBucket on it.',
      { cause: error },
    );
  } finally {
    s3.destroy();
  }
}
