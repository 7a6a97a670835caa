/** Checks the table at the endpoint given as argument, and prints counts and peak memory. */

import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { check } from '../../src/trust/check/check.ts';
import { endWithParent } from './end-with-parent.ts';
import { fullModel } from './models.ts';

endWithParent();
const store = new DynamoDBStore(createClient({ endpoint: process.argv[2] }), fullModel.table);
const { baseItems, derivedItems, drift } = await check(fullModel, { store, graceMs: 0 });
const wrong = drift.missing + drift.stale + drift.orphan;
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ items: baseItems + derivedItems, wrong, megabytes })}\n`);
process.exit(0);
