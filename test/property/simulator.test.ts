import { describe, expect, it } from 'vitest';
import { rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { SIZES } from '../support/sizes.ts';

/**
 * The promise of the projector's protocol: however shards split, batches are cut, calls fail and processes die, derived
 * items are in the end what the base items say. Longer runs: `npm run simulate -- projecting --runs N --seed S`.
 */

const SCHEDULES = seeds(SIZES.projecting);

/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = [
  'invocations',
  'conflicts',
  'quarantined',
  'redrives',
  'entries redriven',
  'checks that report',
  'checks that repair',
  'checks that rebuild',
  'found to be right in the end',
  'repairs beside the projector',
  'damaged items',
  'repaired partitions',
  'evictions',
  'calls with refused',
  'calls with answer lost',
  'calls with done later',
  'calls with crash before',
  'calls with crash after',
  'writes that land unseen',
  'stalls',
  'abandoned invocations',
  'duplicate batches',
  'readers that start over',
  'batches given up',
  'items deleted by TTL',
  'splits',
  'pages read at two moments',
  'transactions under way',
  're-created streams',
];

describe('the projector under schedules of faults, duplicates, reordering and crashes', () => {
  it(`converges in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('projecting', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.01)).toEqual([]);
  });
});
