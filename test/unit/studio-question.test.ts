import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../packages/studio/api/model-and-status.ts';
import { describeModel } from '../../packages/studio/base/describe-model.ts';
import { isAsked, questionOf, shardsAsked } from '../../packages/studio/page/base/question.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    ORG: node({ view: ['name', 'size'], list: true }),
    GOAL: node({
      view: 'ALL',
      search: {
        code: { shards: 'value' },
        title: { shards: 3 },
        size: { type: 'number', shards: 2 },
        place: { partition: 'country', path: ['state', 'city'], shards: 1 },
        city: { partition: 'country', shards: 1 },
      },
    }),
    TAG: node({ view: ['name'] }),
  },
  edges: {
    OF: edge({
      from: 'GOAL',
      to: 'ORG',
      inbound: { orders: { gsi0: 'at', byHours: number('hours') }, project: ['kind'] },
    }),
  },
});
const model: ModelAnswer = { ...describeModel(graph), table: 'records', isWritable: false };
const asked = (text: string) => questionOf(new URLSearchParams(text));
describe('a question of the studio', () => {
  it('is asked once it has what its list or search needs', () => {
    const ready = (text: string) => isAsked(model, asked(text));
    expect(['', 'type=OF', 'search=GOAL.city', 'search=GOAL.code'].map(ready)).toEqual([false, false, false, false]);
    const whole = ['type=OF&id=ORG-1', 'search=GOAL.city&partition=UK', 'search=GOAL.code&equals=A', 'nodes=ORG'];
    expect([...whole, 'search=GOAL.none'].map(ready)).toEqual([true, true, true, true, true]);
  });

  it('asks the shards of its list, and of a value the one that has it', () => {
    const shards = (text: string) => shardsAsked(model, asked(text));
    expect(['search=GOAL.title', 'search=GOAL.title&equals=A', 'type=OF&id=ORG-1'].map(shards)).toEqual([3, 1, 1]);
  });
});
