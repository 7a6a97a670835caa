import graph from '../edgeloom.config.ts';
import { deployedCheck } from '../src/deployment/lambda/deployed.ts';

/** Checks and rebuilds parts of the table for the state machine. */
export const handler = deployedCheck(graph);
