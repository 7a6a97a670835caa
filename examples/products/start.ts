import { start } from '../start.ts';
import graph from './edgeloom.config.ts';
import { routes } from './routes.ts';

await start(graph, ({ store }) => routes(store));
