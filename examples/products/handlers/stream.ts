import { deployedStream } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** The projector: the Lambda function behind the table's stream. */
export const handler = deployedStream(graph);
