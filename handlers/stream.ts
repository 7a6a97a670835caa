import graph from '../edgeloom.config.ts';
import { deployedStream } from '../src/deployment/lambda/deployed.ts';

/** Projects the stream of the table. */
export const handler = deployedStream(graph);
