import type { TestProject } from 'vitest/node';
import { startEngine } from '../../src/local/engine/engine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Endpoint of the engine that the tests run on. */
    endpoint: string;
  }
}

/**
 * One engine for a run of the tests that touch storage: EDGELOOM_TEST_ENDPOINT names one that runs already,
 * EDGELOOM_TEST_ENGINE (`dynoxide` or `dynamodb-local`) which to start.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['EDGELOOM_TEST_ENDPOINT'];
  if (given !== undefined) {
    project.provide('endpoint', given);
    return async () => undefined;
  }
  const engine = process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local' ? 'dynamodb-local' : 'dynoxide';
  const { endpoint, stop } = await startEngine({ engine });
  project.provide('endpoint', endpoint);
  return stop;
}
