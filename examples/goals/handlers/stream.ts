import { deployedStream } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** The projector: a Lambda function triggered by the table's stream. */
export const handler = deployedStream(graph);
