import { deployedStream } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** Projects the stream of the table. */
export const handler = deployedStream(graph);
