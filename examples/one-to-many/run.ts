import { startLocal } from 'edgeloom/local';
import { EXAMPLES } from './index.ts';

/** Runs the examples on an embedded engine and prints their answers: `npx tsx examples/one-to-many/run.ts [NAME …]`. */
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(EXAMPLES);
for (const name of names) {
  const example = EXAMPLES[name];
  if (example === undefined) {
    process.stderr.write(`There is no example ${name}; there are ${Object.keys(EXAMPLES).join(', ')}.\n`);
    process.exitCode = 2;
    break;
  }
  const local = await startLocal(example.graph, {});
  try {
    const results = await example.run({ store: local.store, projected: () => local.worker.idle() });
    process.stdout.write(`${example.title}\n`);
    for (const [question, answer] of Object.entries(results)) {
      process.stdout.write(`  ${question}: ${JSON.stringify(answer)}\n`);
    }
  } finally {
    await local.stop();
  }
}
