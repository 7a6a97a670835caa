import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalText, type Item } from '../../src/core/items/attribute-value.ts';
import type { QueryRequest, Store, UpdateOutcome } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';
import { type Operation, operation } from './operations.ts';
import { contractGraph, SUBJECTS, type Subject } from './stores.ts';
import { underPrefix } from './under-prefix.ts';

/** The memory store is worth what it shares with DynamoDB: the same operations, the same answers, to the unit. */

const [memory, engine] = SUBJECTS as [Subject, Subject];
const RUNS = runs(SIZES['same answers']);
const OPERATIONS = 30;

describe(`the memory store and ${engine.name}`, () => {
  let left: Store;
  let right: Store;
  let runs = 0;

  beforeAll(async () => {
    const graph = contractGraph();
    left = await memory.open(graph);
    right = await engine.open(graph);
  });

  it('give the same answers to the same random operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: OPERATIONS }), async (operations) => {
        runs += 1;
        for (const given of operations) {
          const call = underPrefix(`r${runs}-`, given);
          const expected = await answer(left, call);
          const actual = await answer(right, call);
          expect(actual, JSON.stringify(call)).toEqual(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** What a call gave, in a form that compares: items by value, errors by kind. */
async function answer(store: Store, call: Operation): Promise<unknown> {
  try {
    return await perform(store, call);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { kind: error.kind, code: error.code };
  }
}

async function perform(store: Store, call: Operation): Promise<unknown> {
  switch (call.kind) {
    case 'put':
      return await store.put(call.item);
    case 'delete':
      return await store.delete(call.key);
    case 'get': {
      const { item, rcu } = await store.get(call.key, call);
      return { item: text(item), rcu };
    }
    case 'getMany': {
      const { items, rcu, calls } = await store.getMany(call.keys, call);
      const free = engine.deviates('nothing-read-is-free') && items.includes(undefined);
      return { items: items.map(text), rcu: free ? 'not compared' : rcu, calls };
    }
    case 'update': {
      const result = await store.update(call.update);
      return result.applied ? result : { ...result, current: text(result.current) };
    }
    case 'updateMany':
      return (await store.updateMany(call.updates)).map(outcomeText);
    case 'writeMany': {
      const { wcu, calls } = await store.writeMany(call.writes);
      const dear =
        engine.deviates('batch-delete-of-nothing-costs-two') && call.writes.some((write) => 'delete' in write);
      return { wcu: dear ? 'not compared' : wcu, calls };
    }
    case 'query':
      return await allPages(store, call.request);
  }
}

/** What became of one update. Units are told together, and not every engine returns the item that failed a condition. */
function outcomeText(outcome: UpdateOutcome): unknown {
  if (outcome.applied || outcome.error === undefined) return { applied: outcome.applied };
  if (engine.deviates('statements-check-values-last') && outcome.error.kind === 'terminal') return { applied: false };
  return { applied: false, kind: outcome.error.kind, code: outcome.error.code };
}

async function allPages(store: Store, request: QueryRequest): Promise<unknown[]> {
  const pages: unknown[] = [];
  let startKey = request.startKey;
  do {
    const { items, count, lastKey, rcu } = await store.query({ ...request, startKey });
    const free = engine.deviates('nothing-read-is-free') && count === 0;
    const page = { items: items.map(text), count, lastKey: text(lastKey), rcu: free ? 'not compared' : rcu };
    // An empty page at the end, to which only a last key led, is left out: not every engine gives that key.
    if (count > 0 || pages.length === 0) pages.push(page);
    startKey = lastKey;
  } while (startKey !== undefined);
  if (engine.deviates('limit-at-range-end-has-no-last-key')) Object.assign(pages.at(-1)!, { lastKey: 'not compared' });
  return pages;
}

function text(item: Item | undefined): string | undefined {
  return item && canonicalText({ M: item });
}
