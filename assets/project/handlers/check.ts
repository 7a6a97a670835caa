import { deployedCheck } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** Checks and rebuilds parts of the table; the state machine calls it. */
export const handler = deployedCheck(graph);
