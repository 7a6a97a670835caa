/**
 * Redrives in its own process, and prints counts, CPU time and peak memory. Arguments: the endpoint, and a file with
 * the invocation record from the bucket for failed batches.
 */
import { readFile } from 'node:fs/promises';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { decodeRecords, type RawRecord } from '../../src/stream/decode.ts';
import { redriveRecords } from '../../src/trust/repair/redrive-records.ts';
import { endWithParent } from './end-with-parent.ts';
import { fullModel } from './models.ts';
import { STREAM_ARN } from './workload.ts';

endWithParent();
const [endpoint, file] = process.argv.slice(2);
const store = new DynamoDBStore(createClient({ endpoint }), fullModel.table);
const { Records } = JSON.parse(await readFile(file!, 'utf8')) as { Records: RawRecord[] };
const started = process.cpuUsage();
const startMs = performance.now();
const { entries, repaired, left, writes, wcu, rcu } = await redriveRecords(
  decodeRecords(fullModel, Records, STREAM_ARN),
  { graph: fullModel, store },
);
const seconds = (performance.now() - startMs) / 1000;
const { user, system } = process.cpuUsage(started);
const cpuSeconds = (user + system) / 1_000_000;
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  `${JSON.stringify({ entries, repaired, left, writes, wcu, rcu, seconds, cpuSeconds, megabytes })}\n`,
);
process.exit(0);
