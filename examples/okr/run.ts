import { startLocal } from 'edgeloom/local';
import { okr } from './model.ts';
import { story } from './story.ts';

/** `npx tsx examples/okr/run.ts`: plays a small company's goals on an embedded engine and prints its screens. */
const local = await startLocal(okr, {});
try {
  const screens = await story({ store: local.store, projected: () => local.worker.idle() });
  for (const [screen, shown] of Object.entries(screens)) {
    process.stdout.write(`${screen}\n  ${JSON.stringify(shown)}\n`);
  }
} finally {
  await local.stop();
}
