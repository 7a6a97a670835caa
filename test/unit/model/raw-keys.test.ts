import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { attribute, edge, node } from '../../../src/core/model/schema.ts';
import type { ModelError } from '../../../src/foundation/errors.ts';

type Nodes = Parameters<typeof defineGraph>[0]['nodes'];

/** The mistakes of a model, as `path message`. */
function mistakesOf(nodes: Nodes, edges: object = {}): string[] {
  try {
    defineGraph({ table: 'records', nodes, edges: edges as never });
    return [];
  } catch (error) {
    return (error as ModelError).mistakes.map(({ path, message }) => `${path} ${message}`);
  }
}

const USER = node({ key: { source: 'USER#{id}', target: 'PROFILE' } });

describe('templates of keys', () => {
  it.each<[string, Nodes, object, RegExp[]]>([
    ['a place that keys have not', { USER: node({ key: { source: 'U#{id}', target: '{name}' } }) }, {}, [/\{name\}/]],
    ['a brace alone', { USER: node({ key: { source: 'U#{id}', target: 'P{' } }) }, {}, [/without its other one/]],
    ['a partition of no node', { USER: node({ key: { source: 'USERS', target: 'P#{id}' } }) }, {}, [/\{id\} once/]],
    ['a partition of two ids', { USER: node({ key: { source: '{id}#{id}', target: 'P' } }) }, {}, [/\{id\} once/]],
    ['a sort key that begins with an id', { USER: node({ key: { source: 'U#{id}', target: '{id}' } }) }, {}, [/ASCII/]],
    ['a sort key of derived items', { USER: node({ key: { source: 'U#{id}', target: '~x' } }) }, {}, [/below ~/]],
    ['a partition of our own', { USER: node({ key: { source: '~{id}', target: 'P' } }) }, {}, [/begins with ~/]],
    [
      'partitions that are the same',
      { USER, TEAM: node({ key: { source: 'USER#{id}', target: 'TEAM' } }) },
      {},
      [/^nodes\.TEAM\.key\.source .*nodes\.USER.*belongs to one node/],
    ],
    [
      'a partition within another',
      { USER, TEAM: node({ key: { source: 'USER#TEAM#{id}', target: 'TEAM' } }) },
      {},
      [/nodes\.TEAM\.key\.source .*nodes\.USER/],
    ],
    [
      'an edge elsewhere than its source',
      { USER },
      { LIKES: edge({ from: 'USER', to: 'USER', key: { source: 'LIKE#{from}', target: 'L#{to}' } }) },
      [/^edges\.LIKES\.key\.source .*"USER#\{id\}" of nodes\.USER: an edge lies in the partition of that node/],
    ],
    [
      'an edge without an end',
      { USER },
      { LIKES: edge({ from: 'USER', to: 'USER', key: { target: 'L#{to}#X' } }) },
      [/end with \{to\}/],
    ],
    [
      'an edge to two types',
      { USER, TEAM: node({}) },
      { LIKES: edge({ from: 'USER', to: ['USER', 'TEAM'], key: { target: 'L#{to}' } }) },
      [/declare an edge type for each/],
    ],
    [
      'two edges of the same keys',
      { USER },
      {
        LIKES: edge({ from: 'USER', to: 'USER', key: { target: 'L#{to}' } }),
        KNOWS: edge({ from: 'USER', to: 'USER', key: { target: 'L#X#{to}', where: { _type: 'Knows' } } }),
      },
      [/^edges\.KNOWS\.key\.target .*edges\.LIKES\.key/],
    ],
    [
      'an id in an attribute where the keys keep its case',
      { USER: node({ key: { source: 'U#{id}', target: 'P', id: attribute('userId') } }) },
      {},
      [/^nodes\.USER\.key\.id needs a case/],
    ],
    [
      'an id that is no attribute',
      { USER: node({ key: { source: 'u#{id}', target: 'P', case: 'lower', id: 'userId' } } as never) },
      {},
      [/^nodes\.USER\.key/],
    ],
    [
      'partitions that are the same, of ids in attributes',
      {
        USER: node({ key: { source: 'u#{id}', target: 'user', case: 'lower', id: attribute('userId') } }),
        TEAM: node({ key: { source: 'u#{id}', target: 'team', case: 'lower', id: attribute('teamId') } }),
      },
      {},
      [/^nodes\.TEAM\.key\.source .*nodes\.USER/],
    ],
    [
      'an edge with both ids in one attribute',
      { USER: node({ key: { source: 'u#{id}', target: 'user', case: 'lower', id: attribute('userId') } }) },
      { LIKES: edge({ from: 'USER', to: 'USER', key: { target: 'l#{to}' } }) },
      [/^edges\.LIKES\.key takes both ids from userId/],
    ],
    [
      'an edge to an id in an attribute where the keys keep its case',
      { USER },
      { LIKES: edge({ from: 'USER', to: 'USER', key: { target: 'L#{to}', to: attribute('liked') } }) },
      [/^edges\.LIKES\.key\.to needs a case of the keys of USER/],
    ],
    [
      'an edge without keys and without an attribute',
      { USER },
      { LIKES: edge({ from: 'USER', to: 'USER', key: { where: { _type: 'Like' } } }) },
      [/^edges\.LIKES\.key needs a target, or to alone/],
    ],
    [
      'an edge that an attribute makes, to two types',
      { USER, TEAM: node({}) },
      { LIKES: edge({ from: 'USER', to: ['USER', 'TEAM'], key: { to: attribute('liked') } }) },
      [/declare an edge type for each/],
    ],
    [
      'hashed keys by a template',
      { USER },
      { LIKES: edge({ from: 'USER', to: 'USER', keys: 'hashed', key: { target: 'L#{to}' } }) },
      [/hashed/],
    ],
  ])('refuse %s', (_what, nodes, edges, messages) => {
    const mistakes = mistakesOf(nodes, edges);
    expect(mistakes).toHaveLength(messages.length);
    for (const [i, message] of messages.entries()) expect(mistakes[i]).toMatch(message);
  });

  it('tell types of the same keys apart by an attribute', () => {
    const edges = {
      LIKES: edge({ from: 'USER', to: 'USER', key: { target: 'L#{to}', where: { _type: 'Likes' } } }),
      KNOWS: edge({ from: 'USER', to: 'USER', key: { target: 'L#{to}', where: { _type: 'Knows' } } }),
    };
    expect(mistakesOf({ USER }, edges)).toEqual([]);
  });

  it('tell partitions apart by what follows the id', () => {
    const key = (after: string) => node({ key: { source: `X#{id}#${after}`, target: 'P' } });
    expect(mistakesOf({ USER: key('USER'), TEAM: key('TEAM') })).toEqual([]);
  });

  it('leave a model without them as it is', () => {
    expect(defineGraph({ table: 'records', nodes: { USER: node({}) } }).table.rawKeys).toBeUndefined();
  });
});
