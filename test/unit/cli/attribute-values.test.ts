import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { attributesOfJson, attributeValues } from '../../../packages/cli/shared/attribute-values.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { ExactNumber } from '../../../src/core/items/plain.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

describe('attributes on the command line', () => {
  it('are what validators take: numbers as numbers, those that would lose digits exactly', () => {
    const digits = '12345678901234567890123456789';
    expect(attributesOfJson(`{"points":3,"share":0.1,"list":[1.5],"large":${digits}}`)).toEqual({
      ...{ points: 3, share: 0.1, list: [1.5] },
      large: new ExactNumber(digits),
    });
    expect(attributeValues('--if', ['points=3', 'title=Run', 'points=3'])).toEqual({ points: 3, title: 'Run' });
    expect(() => attributeValues('--if', ['points=3', 'points=4'])).toThrow(
      '--if points=4 gives points a second value',
    );
  });

  it('pass the numbers that a model declares', async () => {
    const fields = z.object({ points: z.number(), share: z.number().max(1) });
    const graph = defineGraph({ table: 'records', nodes: { GOAL: node({ view: 'ALL', fields }) } });
    const store = new MemoryStore(graph.table);
    await createWriter(graph, { store }).putNode('GOAL-1', attributesOfJson('{"points":3,"share":0.5}') as never);
    const { item } = await store.get({ source: 'GOAL-1', target: 'GOAL-1' }, { consistent: true });
    expect(item).toMatchObject({ points: { N: '3' }, share: { N: '0.5' } });
  });
});
