import { restOf } from '../../rest.ts';
import graph from '../edgeloom.config.ts';
import { routes } from '../routes.ts';

/** The REST front: the Lambda function behind an HTTP API. */
export const handler = restOf(graph, routes);
