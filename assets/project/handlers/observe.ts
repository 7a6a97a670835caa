import { deployedObserve } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** Judges each change of the table; deployed where the stack's parameter `observe` asks for it. */
export const handler = deployedObserve(graph);
