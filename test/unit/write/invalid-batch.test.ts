import { expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidBatchError } from '../../../src/client/write/batch.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import type { Store } from '../../../src/core/store-port.ts';

const steps = z.array(z.object({ days: z.number() })).optional();
const graph: CompiledModel = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', fields: z.object({ title: z.string(), steps }) }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', fields: z.object({ role: z.enum(['LEAD']) }) }) },
});
/** A store without methods: a call of it is a TypeError, so nothing of what is refused can be sent. */
const writer = createWriter(graph, { store: {} as Store });

async function refusalOf(write: Promise<unknown>): Promise<InvalidBatchError> {
  const reason = await write.then(
    () => 'written',
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(InvalidBatchError);
  return reason as InvalidBatchError;
}

it('a refused transaction has every issue with its operation and its path', async () => {
  const error = await refusalOf(
    writer.transact((transaction) => {
      transaction.putNode('USER-U1', { name: 'Ada' });
      transaction.putNode('GOAL-G1', { title: 5, steps: [{ days: 1 }, { days: 'two' }] });
      transaction.putEdge('GOAL-G1', 'MEMBER', 'USER-U1', { role: 'BOSS' });
      transaction.requireNode('USER-U1');
    }),
  );
  expect(error.issues).toEqual([
    { position: 2, path: 'title', message: expect.stringContaining('string') },
    { position: 2, path: 'steps[1].days', message: expect.stringContaining('number') },
    { position: 3, path: 'role', message: expect.stringContaining('LEAD') },
    { position: 4, path: '', message: 'Operation 1 names Node "USER-U1", too.' },
  ]);
  expect(error.problems.map(({ position }) => position)).toEqual([2, 3, 4]);
});

it('a refused batch has them too, and its issues are those of the same single write', async () => {
  const attributes = { steps: [{ days: 'two' }] };
  const error = await refusalOf(
    writer.batch((batch) => {
      batch.deleteNode('USER-U1');
      batch.putNode('GOAL-G1', attributes);
      batch.putNode('NONE-1');
    }),
  );
  const single: unknown = await writer.putNode('GOAL-G1', attributes).catch((reason: unknown) => reason);
  const { issues } = single as { issues: readonly { path: string; message: string }[] };
  expect(issues.map(({ path }) => path)).toEqual(['title', 'steps[0].days']);
  expect(error.issues).toEqual([
    ...issues.map((issue) => ({ position: 2, ...issue })),
    { position: 3, path: '', message: expect.stringContaining('NONE') },
  ]);
});
