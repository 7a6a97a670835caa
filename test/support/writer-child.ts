/**
 * A producer as a process of its own: puts and deletes plain items at random until its input ends, with the same numbers
 * from the same seed. Arguments: endpoint, table, seed.
 */
import { seededRandom } from '../../bench/support/random.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { followGraph, follows, user } from './follow-graph.ts';

const [endpoint, table, seed = '1'] = process.argv.slice(2);
const USERS = 40;
const PAUSE_MS = 8;
const graph = followGraph(table);
const store = new DynamoDBStore(createClient({ endpoint }), graph.table);
const random = seededRandom(Number(seed));
let writes = 0;
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

while (!isOver) {
  const from = `${random.below(USERS)}`;
  const to = `${random.below(USERS)}`;
  const action = random.below(10);
  if (action < 5) await store.put(follows(from, to));
  else if (action < 8) await store.delete({ source: `USER-${from}`, target: `FOLLOWS-USER-${to}` });
  else if (action < 9) await store.put({ ...user(from), picture: { S: `${writes}` } });
  else await store.delete({ source: `USER-${from}`, target: `USER-${from}` });
  writes += 1;
  // Steady, so that the worker is always behind and never far.
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
process.stdout.write(`${writes}\n`);
