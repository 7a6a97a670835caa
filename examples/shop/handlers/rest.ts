import { restOf } from '../../rest.ts';
import graph from '../edgeloom.config.ts';
import { routes } from '../routes.ts';

/** The Lambda function behind the API Gateway HTTP API. */
export const handler = restOf(graph, routes);
