/**
 * Runs a sync in a process that may be killed, and prints counts at each step. Arguments: the endpoint, and `resume` to
 * continue.
 */
import { createSources } from '../../src/sources/create-sources.ts';
import { createClient } from '../../src/store/client.ts';
import { endWithParent } from './end-with-parent.ts';
import { countedSources, SOURCE } from './sync-source.ts';

endWithParent();
const [endpoint, how] = process.argv.slice(2);
const { graph, options, counts } = countedSources(createClient({ endpoint }));
await createSources(graph, options).sync(SOURCE, {
  resume: how === 'resume',
  onProgress: ({ items }) => void process.stdout.write(`${JSON.stringify({ items, ...counts() })}\n`),
});
process.exit(0);
