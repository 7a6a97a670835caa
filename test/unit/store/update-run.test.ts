import { describe, expect, it } from 'vitest';
import type { DerivedUpdate, UpdateResult } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { updateEach } from '../../../src/store/update-run.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const UPDATES = ['~a', '~b', '~c', '~d'].map(
  (target): DerivedUpdate => ({ key: { source: 'U-1', target }, set: {}, unset: [], condition: { kind: 'absent' } }),
);
const APPLIED: UpdateResult = { applied: true, wcu: 1 };

/** Updates that fail where this says so; gives what was sent. */
function failing(failures: Record<string, Error>) {
  const sent: string[] = [];
  const update = async ({ key: { target } }: DerivedUpdate): Promise<UpdateResult> => {
    sent.push(target);
    await Promise.resolve();
    if (failures[target] !== undefined) throw failures[target];
    return APPLIED;
  };
  return { sent, update };
}

describe('updates of many items', () => {
  it.each([
    ['no connection', new StoreError('retryable', 'no-connection', 'nobody answers')],
    ['missing rights', new StoreError('fatal', 'AccessDeniedException', 'no')],
  ])('end with %s, which the items carry that were not sent', async (_name, error) => {
    const { sent, update } = failing({ '~b': error });
    const outcomes = await updateEach(UPDATES, update, { concurrency: 1 });
    expect(sent).toEqual(['~a', '~b']);
    expect(outcomes).toEqual([APPLIED, ...[1, 2, 3].map(() => ({ applied: false, error }))]);
    await expect(updateEach(UPDATES.slice(1), update, { concurrency: 1 })).rejects.toBe(error);
  });

  it('are not sent any more once the time is over', async () => {
    const { sent, update } = failing({});
    let left = 2;
    const outcomes = await updateEach(UPDATES, update, { concurrency: 1, remainingMs: () => left-- });
    expect(sent).toEqual(['~a', '~b']);
    expect(outcomes.slice(2)).toMatchObject([1, 2].map(() => ({ applied: false, error: { code: 'no-time' } })));
  });

  it('are waited for when the call is aborted', async () => {
    const controller = new AbortController();
    const done: string[] = [];
    const update = async ({ key: { target } }: DerivedUpdate): Promise<UpdateResult> => {
      if (target === '~a') controller.abort(new Error('enough'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      done.push(target);
      return APPLIED;
    };
    await expect(updateEach(UPDATES, update, { signal: controller.signal, concurrency: 2 })).rejects.toThrow('enough');
    expect(done).toEqual(['~a']);
  });

  it('go through what replaces the update of one', async () => {
    const seen: string[] = [];
    const memory = new MemoryStore(goalGraph().table);
    const store = withReplacedCalls(memory, {
      update: (update) => {
        seen.push(update.key.target);
        return memory.update(update);
      },
    });
    await store.updateMany(UPDATES);
    expect(seen).toEqual(['~a', '~b', '~c', '~d']);
  });
});
