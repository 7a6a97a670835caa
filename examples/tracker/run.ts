import { startLocal } from 'edgeloom/local';
import { tracker } from './model.ts';
import { createTrackerServer } from './server.ts';

/** `npx tsx examples/tracker/run.ts`: the tracker on an embedded engine, at http://127.0.0.1:8080 until Ctrl-C. */
const local = await startLocal({ graph: tracker });
const server = createTrackerServer(local.store, 'a secret of this run').listen(8080, '127.0.0.1');
process.once('SIGINT', () => {
  server.close();
  void local.stop();
});
