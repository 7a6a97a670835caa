import type { TestProject } from 'vitest/node';
import { startEngine } from '../../packages/local/engine/engine.ts';
import { shared } from './shared.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Endpoint of the engine that the tests run on. */
    endpoint: string;
  }
}

/**
 * One engine for a run of the tests that touch storage: EDGELOOM_TEST_ENDPOINT names one that runs already. With
 * EDGELOOM_TEST_ENGINE=dynamodb-local each test file starts one of its own (`engine.ts`); `memory` runs in the process of the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['EDGELOOM_TEST_ENDPOINT'];
  if (given !== undefined) project.provide('endpoint', given);
  if (given !== undefined || process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local') return async () => undefined;
  const { value, undo } = await shared('engine', async () => {
    const { endpoint, stop } = await startEngine({
      engine: process.env['EDGELOOM_TEST_ENGINE'] === 'memory' ? 'memory' : 'dynoxide',
    });
    return { value: endpoint, undo: stop };
  });
  project.provide('endpoint', value);
  return undo;
}
