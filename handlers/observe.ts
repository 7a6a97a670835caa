import graph from '../edgeloom.config.ts';
import { deployedObserve } from '../src/deployment/lambda/deployed.ts';

/** Judges each change of the table; deployed where the stack's parameter `observe` asks for it. */
export const handler = deployedObserve(graph);
