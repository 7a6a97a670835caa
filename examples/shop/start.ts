import { start } from '../start.ts';
import graph, { sources } from './edgeloom.config.ts';
import { routes } from './routes.ts';

await start(graph, ({ store, client }) => routes(store, client), sources);
