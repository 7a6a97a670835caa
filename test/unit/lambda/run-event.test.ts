import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { checkRunHandler } from '../../../src/deployment/lambda/check-run-handler.ts';
import { WRONG_INPUT } from '../../../src/foundation/errors.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const share = { mode: 'check', worker: 0, repair: false, untilMs: null, maxRcu: 10, maxWcu: 10 };
const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 };

it.each([
  [{}, /no field plan, migrate, walk or mode/],
  [null, /no field/],
  ['check', /no field/],
  [[], /no field/],
  [{ source: 'aws.events', detail: {} }, /no field/],
  [{ ...share, mode: '__proto__' }, /is wrong: mode: /],
  [{ ...share, mode: 'repair' }, /is wrong: mode: /],
  [{ ...share, worker: -1 }, /is wrong: worker: /],
  [{ ...share, worker: '0' }, /is wrong: worker: /],
  [{ ...share, untilMs: undefined }, /is wrong: untilMs: /],
  [{ ...share, maxRcu: -1 }, /is wrong: maxRcu: /],
  [{ mode: 'check' }, /is wrong: worker: /],
  [{ plan: 'check' }, /is wrong: plan: /],
  [{ plan: { mode: 'constructor' } }, /mode that there is not/],
  [{ migrate: null }, /is wrong: migrate: /],
  [{ walk: { plan: 'x', share: 'all' } }, /is wrong: walk\.share: /],
])('the check function refuses %j, and does not say that it is done', async (event, message) => {
  const handler = checkRunHandler(graph, { store: new MemoryStore(graph.table) as never });
  await expect(handler(event as never, context as never)).rejects.toMatchObject({
    ...{ name: WRONG_INPUT, code: 'invalid-option', message: expect.stringMatching(message) },
  });
});
