import graph from '../edgeloom.config.ts';
import { deployedStream } from '../src/deployment/lambda/deployed.ts';

/** Projects the table's stream. */
export const handler = deployedStream(graph);
