import { afterAll, inject } from 'vitest';
import { startEngine } from '../../packages/local/engine/engine.ts';

/**
 * DynamoDB Local looks through all streams that it ever had at each write, so that a write takes 30 times as long after some
 * hundred tables: there each test file has an engine of its own. Elsewhere one engine serves the whole run.
 */
const isOwn =
  process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local' && process.env['EDGELOOM_TEST_ENDPOINT'] === undefined;
const own = isOwn ? await startEngine({ engine: 'dynamodb-local' }) : undefined;
if (own !== undefined) afterAll(own.stop);

/** Endpoint of the engine that the tests run on. */
export function testEndpoint(): string {
  // Outside of a run of tests nothing can be injected.
  return own?.endpoint ?? process.env['EDGELOOM_TEST_ENDPOINT'] ?? inject('endpoint');
}
