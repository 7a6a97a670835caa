import { createClient, DynamoDBStore } from 'edgeloom';
import { restHandler } from '../../rest.ts';
import graph from '../edgeloom.config.ts';
import { routes } from '../routes.ts';

/** The REST front: the Lambda function behind an HTTP API. */
export const handler = restHandler(
  routes(new DynamoDBStore(createClient(), { ...graph.table, name: process.env['TABLE'] ?? graph.table.name })),
);
