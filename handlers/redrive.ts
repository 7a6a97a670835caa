import graph from '../edgeloom.config.ts';
import { deployedRedrive } from '../src/deployment/lambda/deployed.ts';

/** Redrives the quarantine, and batches that the event source mapping gave up on. */
export const handler = deployedRedrive(graph);
