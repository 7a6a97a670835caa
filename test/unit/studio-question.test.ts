import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../packages/studio/api/model-and-status.ts';
import { describeModel } from '../../packages/studio/base/describe-model.ts';
import {
  attributesOfSubject,
  isAsked,
  questionOf,
  questionOfType,
  shardsAsked,
  sortsOf,
  subjectOf,
} from '../../packages/studio/page/base/question.ts';
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
const offered = (text: string) => sortsOf(model, asked(text)).map(({ by, isCurrent }) => (isCurrent ? `${by}!` : by));

describe('the ways to sort that the studio offers', () => {
  it('are the searches that list all nodes, and not those that need a value', () => {
    expect(offered('search=GOAL.title')).toEqual(['title!', 'size']);
    expect(offered('search=GOAL.code&equals=A')).toEqual(['code!', 'title', 'size']);
    // The value of the partition is known then.
    expect(offered('search=GOAL.place&partition=UK')).toEqual(['title', 'size', 'state / city!', 'city']);
  });

  it('are the list of a type, by id, and the orders of edges', () => {
    expect(offered('nodes=ORG')).toEqual(['id!']);
    expect(offered('type=OF&id=ORG-1')).toEqual(['at!', 'hours']);
    expect(offered('type=OF&id=ORG-1&order=byHours')).toEqual(['at', 'hours!']);
    expect(offered('search=NONE.none')).toEqual([]);
  });

  it('turn the present one, and begin another one without the values of the present one', () => {
    const changes = (text: string, at: number) => sortsOf(model, asked(text))[at]!.changes;
    expect(changes('type=OF&id=ORG-1', 0)).toEqual({ reverse: 'true', cursor: undefined });
    expect(changes('type=OF&id=ORG-1&reverse=true', 0)).toEqual({ reverse: undefined, cursor: undefined });
    const other = changes('type=OF&id=ORG-1&from=3&reverse=true&cursor=C', 1);
    expect(other).toMatchObject({ order: 'byHours' });
    for (const name of ['from', 'to', 'equals', 'path', 'reverse', 'cursor'])
      expect(other).toHaveProperty(name, undefined);
    expect(changes('search=GOAL.title', 1)).toMatchObject({ search: 'GOAL.size', nodes: undefined, where: undefined });
  });
});

describe('a question of the studio', () => {
  it('for all nodes of a type is their list, else a search that lists them', () => {
    expect(questionOfType(model, 'ORG')).toEqual({ nodes: 'ORG' });
    expect(questionOfType(model, 'GOAL')).toEqual({ search: 'GOAL.size' });
    expect(questionOfType(model, 'TAG')).toBeUndefined();
  });

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

  it('has the columns that the model names', () => {
    const columns = (text: string) => attributesOfSubject(model, subjectOf(model, asked(text)));
    expect(columns('type=OF&id=ORG-1')).toEqual(expect.arrayContaining(['kind']));
    expect(columns('nodes=ORG')).toEqual(['name', 'size']);
  });
});
