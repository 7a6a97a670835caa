/** A check in its own process: prints counts and peak memory. Arguments: endpoint, model, sources... */

import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { check } from '../../src/trust/check/check.ts';
import { endWithParent } from './end-with-parent.ts';
import { copyModel, fullModel } from './models.ts';

endWithParent();
const [endpoint, model, ...sources] = process.argv.slice(2);
const graph = model === 'copies' ? copyModel : fullModel;
const store = new DynamoDBStore(createClient({ endpoint }), graph.table);
const options = sources.length > 0 ? { sources } : {};
const { baseItems, derivedItems, drift } = await check(graph, { store, graceMs: 0, ...options });
const wrong = drift.missing + drift.stale + drift.orphan;
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ items: baseItems + derivedItems, wrong, megabytes })}\n`);
process.exit(0);
