import graph from '../edgeloom.config.ts';
import { deployedRedrive } from '../src/deployment/lambda/deployed.ts';

/** Redrives the quarantine, and batches that the stream's mapping gave up. */
export const handler = deployedRedrive(graph);
