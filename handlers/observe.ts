import graph from '../edgeloom.config.ts';
import { deployedObserve } from '../src/deployment/lambda/deployed.ts';

/** Verifies each change of the table. Deployed only if the stack parameter `observe` is set. */
export const handler = deployedObserve(graph);
