import { deployedRedrive } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** Redrives the quarantine, and batches that the stream's mapping gave up. */
export const handler = deployedRedrive(graph);
