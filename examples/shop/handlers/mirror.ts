import { deployedMirror } from 'edgeloom/lambda';
import graph, { sources } from '../edgeloom.config.ts';

/** The mirror: a Lambda function triggered by the old table's stream. */
export const handler = deployedMirror(graph, sources);
