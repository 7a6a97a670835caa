import { deployedMirror } from 'edgeloom/lambda';
import graph, { sources } from '../edgeloom.config.ts';

/** Mirrors the tables of others into this one. */
export const handler = deployedMirror(graph, sources);
