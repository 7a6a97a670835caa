import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { attribute, edge, node, part } from '../../src/core/model/schema.ts';
import { isBaseSortKey } from '../../src/core/plan/stream-filter.ts';

/** The codec of raw keys: nothing of a key is lost on the way there and back, whatever other software has written. */

const graph = defineGraph({
  table: { name: 'records', partitionKey: 'pk', sortKey: 'sk' },
  nodes: {
    ORG: node({ key: { source: 'org#{id}', target: 'meta' } }),
    USER: node({ key: { source: 'user#{id}#u', target: '$user_1#{id}#x', case: 'lower' }, parts: { STATE: part({}) } }),
    TAG: node({}),
    CITY: node({ key: { source: 'city#{id}', target: 'meta', case: 'lower', id: attribute('cityId') } }),
  },
  edges: {
    ADMIN: edge({ from: 'ORG', to: 'USER', key: { target: 'in#{from}#m#{to}', where: { _type: 'Admin' } } }),
    MEMBER: edge({ from: 'ORG', to: 'USER', key: { target: 'in#{from}#m#{to}', where: { _type: 'Member' } } }),
    TAGGED: edge({ from: ['ORG', 'USER', 'TAG'], to: ['TAG', 'ORG'] }),
    PART_OF: edge({ from: 'USER', to: 'ORG', key: { target: '$org_{to}' } }),
    NEAR: edge({ from: 'CITY', to: 'CITY', key: { target: 'near#{to}', to: attribute('other') } }),
    LIES_IN: edge({ from: 'ORG', to: 'CITY', key: { to: attribute('cityId') } }),
  },
});
const keys = graph.table.rawKeys!;

/** Texts with many pieces of the templates in them. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'org#',
        'city#',
        'near#',
        '\0',
        '~view',
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
const ids = fc
  .record({ cityId: text, other: text })
  .map(({ cityId, other }): Item => ({ cityId: { S: cityId }, other: { S: other } }));
const item = fc.oneof(
  fc.constantFrom<Item | undefined>(undefined, {}, { _type: { S: 'Admin' } }, { _type: { S: 'Member' } }),
  ids,
);

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
        fc.constantFrom('ORG', 'USER', 'TAG', 'CITY'),
        text,
        fc.constantFrom<[string | undefined, string | undefined]>(
          [undefined, undefined],
          ['ADMIN', 'USER'],
          ['MEMBER', 'USER'],
          ['TAGGED', 'TAG'],
          ['TAGGED', 'ORG'],
          ['PART_OF', 'ORG'],
          ['NEAR', 'CITY'],
          ['LIES_IN', 'CITY'],
        ),
        text,
        (type, id, [edgeType, to], far) => {
          const source = `${type}-${id}`;
          const target = edgeType === undefined ? source : `${edgeType}-${to}-${far}`;
          const raw = keys.toRaw({ source, target });
          if (raw === undefined) return;
          const key = { source, target };
          const made = keys.isMadeByNode(key) ? ([['cityId', far]] as const) : [];
          const named = [...keys.marksOf(key), ...keys.idsOf(key), ...made];
          const marks: Item = Object.fromEntries(named.map(([name, S]) => [name, { S }]));
          if (edgeType === 'LIES_IN') expect(keys.allFromRaw(raw, marks)).toContainEqual({ source, target });
          else expect(keys.fromRaw(raw, marks)).toEqual({ source, target });
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

  it('of derived items in a partition that has lost the case of the id end with the id', () => {
    fc.assert(
      fc.property(text, text, (id, name) => {
        const key = { source: `CITY-${id}`, target: `~${name}` };
        const raw = keys.toRaw(key);
        if (raw === undefined) return;
        expect(raw.source).toBe(`city#${id.toLowerCase()}`);
        expect(keys.fromRaw(raw, {})).toEqual(key);
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
