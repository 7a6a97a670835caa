import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { isBaseSortKey } from '../../src/core/plan/stream-filter.ts';

/** The codec of raw keys: nothing of a key is lost on the way there and back, whatever other software has written. */

const graph = defineGraph({
  table: { name: 'records', partitionKey: 'pk', sortKey: 'sk' },
  nodes: {
    ORG: node({ key: { source: 'org#{id}', target: 'meta' } }),
    USER: node({ key: { source: 'user#{id}#u', target: '$user_1#{id}#x', case: 'lower' }, parts: { STATE: part({}) } }),
    TAG: node({}),
  },
  edges: {
    ADMIN: edge({ from: 'ORG', to: 'USER', key: { target: 'in#{from}#m#{to}', where: { _type: 'Admin' } } }),
    MEMBER: edge({ from: 'ORG', to: 'USER', key: { target: 'in#{from}#m#{to}', where: { _type: 'Member' } } }),
    TAGGED: edge({ from: ['ORG', 'USER', 'TAG'], to: ['TAG', 'ORG'] }),
    PART_OF: edge({ from: 'USER', to: 'ORG', key: { target: '$org_{to}' } }),
  },
});
const keys = graph.table.rawKeys!;

/** Texts with many pieces of the templates in them. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'org#',
        'user#',
        '#u',
        'meta',
        'in#',
        '#m#',
        '$user_1#',
        '#x',
        '-',
        '~',
        '?',
        'TAG-',
        'ORG-',
        'TAGGED-',
        'STATE',
        'A',
        'a',
        '#',
      ),
      fc.string({ maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(''))
  .filter((joined) => joined !== '');
const item = fc.constantFrom<Item | undefined>(undefined, {}, { _type: { S: 'Admin' } }, { _type: { S: 'Member' } });

describe('raw keys', () => {
  it('come back as they were, matched or not', () => {
    fc.assert(
      fc.property(text, text, item, (source, target, attributes) => {
        const known = keys.fromRaw({ source, target }, attributes);
        expect(keys.toRaw(known)).toEqual({ source, target });
      }),
      { numRuns: 20_000 },
    );
  });

  it('stand for the key that is stored under them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('ORG', 'USER', 'TAG'),
        text,
        fc.constantFrom<[string | undefined, string | undefined]>(
          [undefined, undefined],
          ['ADMIN', 'USER'],
          ['MEMBER', 'USER'],
          ['TAGGED', 'TAG'],
          ['TAGGED', 'ORG'],
          ['PART_OF', 'ORG'],
        ),
        text,
        (type, id, [edgeType, to], far) => {
          const source = `${type}-${id}`;
          const target = edgeType === undefined ? source : `${edgeType}-${to}-${far}`;
          const raw = keys.toRaw({ source, target });
          if (raw === undefined) return;
          const marks: Item = Object.fromEntries(keys.marksOf({ source, target }).map(([name, S]) => [name, { S }]));
          expect(keys.fromRaw(raw, marks)).toEqual({ source, target });
          // The event source mapping lets it pass.
          expect(keys.sortKeyPrefixes.some((prefix) => raw.target.startsWith(prefix))).toBe(true);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('of derived items are those of the node, in its raw partition', () => {
    fc.assert(
      fc.property(text, text, (id, name) => {
        const key = { source: `ORG-${id}`, target: `~${name}` };
        expect(keys.toRaw(key)).toEqual({ source: `org#${id}`, target: `~${name}` });
        expect(keys.fromRaw({ source: `org#${id}`, target: `~${name}` }, {})).toEqual(key);
      }),
    );
  });

  it('give every item that a template fits a key that the projector reads', () => {
    expect(keys.fromRaw({ source: 'org#o', target: 'in#o#m#u' }, { _type: { S: 'Member' } })).toEqual({
      source: 'ORG-o',
      target: 'MEMBER-USER-u',
    });
    expect(isBaseSortKey(keys.fromRaw({ source: 'org#o', target: 'in#o#m#u' }, {}).target)).toBe(false);
    expect(
      isBaseSortKey(keys.fromRaw({ source: 'org#o', target: 'in#o#m#U' }, { _type: { S: 'Member' } }).target),
    ).toBe(false);
  });
});
