import { streamHandler } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** The Lambda behind the table's stream. */
export const handler = streamHandler(graph);
