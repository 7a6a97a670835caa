import { deployedMirror } from 'edgeloom/lambda';
import graph, { sources } from '../edgeloom.config.ts';

/** The mirror: the Lambda function behind the stream of the old table. */
export const handler = deployedMirror(graph, sources);
