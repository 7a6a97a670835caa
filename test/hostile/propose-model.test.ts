import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelText } from '../../packages/workbench/adopt/model-text.ts';
import { type Proposal, proposeModel } from '../../packages/workbench/adopt/propose-model.ts';
import { sampledItem } from '../../packages/workbench/adopt/sampled-item.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { classifyBaseItem } from '../../src/core/model/base-item.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { attribute, edge, node, part } from '../../src/core/model/schema.ts';

/** Models that are proposed for tables of many layouts. */

type Row = [pk: string, sk: string, attributes?: Record<string, string | number>];

const FACTS = { options: { name: 'legacy', partitionKey: 'pk', sortKey: 'sk' }, keyAttributes: new Set<string>() };

function itemOf([pk, sk, attributes = {}]: Row): Item {
  const rest = Object.entries(attributes).map(([name, value]) => [
    name,
    typeof value === 'number' ? { N: String(value) } : { S: value },
  ]);
  return { pk: { S: pk }, sk: { S: sk }, ...Object.fromEntries(rest) };
}

function propose(rows: readonly Row[], facts: Parameters<typeof proposeModel>[1] = FACTS): Proposal {
  return proposeModel(
    rows.map((row) => sampledItem(itemOf(row), 'pk', 'sk')!),
    facts,
  );
}

/** The model file, run as a module. */
function compiled(proposal: Proposal): CompiledModel {
  const text = modelText(proposal, { sampled: 1, tableItems: 1, notes: [] });
  const body = text.replace(/^import .*$/m, '').replace('export default', 'return');
  return new Function('attribute', 'defineGraph', 'edge', 'node', 'part', body)(
    attribute,
    defineGraph,
    edge,
    node,
    part,
  ) as CompiledModel;
}

/** The types that the model file gives items, each once, in order. */
function typesOf(proposal: Proposal, rows: readonly Row[]): string[] {
  const graph = compiled(proposal);
  const types = rows.map((row) => {
    const item = itemOf(row);
    const { source, target } = graph.table.rawKeys!.fromRaw({ source: row[0], target: row[1] }, item);
    const found = classifyBaseItem(graph, source, target, item);
    if (found.kind === 'node') return `${found.node.type} ${source}`;
    if (found.kind === 'edge') return `${source} ${found.edge.type} ${found.target}`;
    return found.kind === 'part' ? `${source} ${found.part.name}` : found.kind;
  });
  return [...new Set(types)];
}

/** Items that are made to take long. */
describe('a proposal for crafted items', () => {
  const many = (count: number, textOf: (i: number) => [string, string]): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => textOf(i)));
  const long = 'z'.repeat(500);
  it.each<[string, (i: number) => Row]>([
    ['deep keys and long texts', (i) => [`${'a#'.repeat(300)}${i}`, 'META', many(20, (k) => [`k${k}`, long])]],
    ['other names in each item', (i) => [`n#${i}`, 'META', many(60, (k) => [`k${i}x${k}`, `${k}`])]],
    ['ids in very many attributes', (i) => [`n#${i}`, 'META', many(2_000, (k) => [`k${k}`, `${i}`])]],
  ])('looks at each text a few times: %s', (_, rowOf) => {
    const sampled = Array.from({ length: 300 }, (_, i) => sampledItem(itemOf(rowOf(i)), 'pk', 'sk')!);
    let looks = 0;
    const counting = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, name) {
          looks += 1;
          const found: unknown = Reflect.get(target, name);
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
    proposeModel(
      sampled.map((one) => ({ ...one, item: counting(one.item), texts: counting(one.texts) })),
      FACTS,
    );
    expect(looks).toBeLessThan(300 * 200);
    expect(sampled.every(({ texts }) => texts.size <= 100)).toBe(true);
  });
});

const keysOf = ({ nodes, edges }: Proposal): unknown => ({
  nodes: Object.fromEntries([...nodes].map(([type, { key }]) => [type, key])),
  edges: Object.fromEntries([...edges].map(([type, { from, to, key }]) => [type, [from.join(), to, key]])),
});
const doubts = ({ nodes, edges }: Proposal): string[] =>
  [...nodes.values(), ...edges.values()].flatMap(({ unsure }) => unsure);
const leftOut = (proposal: Proposal): [number, string][] =>
  proposal.leftOut.map(({ items, reason }) => [items, reason]);
const range = (count: number): number[] => [...Array(count).keys()];

describe('a proposed model', () => {
  it('has the templates of ElectroDB as it writes by default', () => {
    const edb = (entity: string) => ({ __edb_e__: entity, __edb_v__: '1' });
    const rows: Row[] = [
      ...range(3).map((i): Row => [`$app#orgid_o${i}`, '$org_1', { ...edb('org'), orgId: `o${i}`, name: 'Org' }]),
      ...range(40).map((i): Row => [`$app#userid_u${i}`, '$user_1', { ...edb('user'), userId: `u${i}`, name: 'User' }]),
      ...range(40).map((i): Row => {
        const attributes = { ...edb('member'), orgId: `o${i % 3}`, userId: `u${i}` };
        return [`$app#orgid_o${i % 3}`, `$member_1#userid_u${i}`, attributes];
      }),
    ];
    const proposal = propose(rows);
    const where = (__edb_e__: string) => ({ __edb_e__, __edb_v__: '1' });
    expect(keysOf(proposal)).toEqual({
      nodes: {
        // The sample has ids in lower case alone; items that it lacks may have others.
        ORG: {
          source: '$app#orgid_{id}',
          target: '$org_1',
          where: where('org'),
          case: 'lower',
          id: attribute('orgId'),
        },
        USER: {
          ...{ source: '$app#userid_{id}', target: '$user_1', where: where('user'), case: 'lower' },
          id: attribute('userId'),
        },
      },
      edges: { MEMBER: ['ORG', 'USER', { target: '$member_1#userid_{to}', where: where('member') }] },
    });
    expect([doubts(proposal), proposal.leftOut]).toEqual([[], []]);
    expect(typesOf(proposal, [rows[1]!, rows[5]!, rows[44]!])).toEqual([
      'ORG ORG-o1',
      'USER USER-u2',
      'ORG-o1 MEMBER USER-u1',
    ]);
    const withoutIds = rows.slice(3, 43).map(([pk, sk, { userId: _, ...rest } = {}]): Row => [pk, sk, rest as never]);
    expect(keysOf(propose(withoutIds))).not.toHaveProperty('nodes.USER.id');
    expect(doubts(propose(withoutIds)).join()).toContain('ids with capital letters are refused');
  });

  it('has one node and an edge of two entities of ElectroDB in one partition, and names the third', () => {
    const edb = (entity: string, id: string) => ({ __edb_e__: entity, __edb_v__: '2', userId: id });
    const rows: Row[] = range(9).flatMap((i): Row[] => [
      [`$app#userid_u${i}`, '$tasks#user_2', edb('user', `u${i}`)],
      [`$app#userid_u${i}`, '$tasks#settings_2', edb('settings', `u${i}`)],
      [`$app#userid_u${i}`, `$tasks#task_2#taskid_t${i}`, edb('task', `u${i}`)],
    ]);
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({
      nodes: { USER: { source: '$app#userid_{id}', target: '$tasks#user_2' } },
      edges: {},
    });
    expect(leftOut(proposal).map(([items]) => items)).toEqual([9, 9]);
    expect(
      leftOut(proposal)
        .map(([, reason]) => reason)
        .join(),
    ).toMatch(/of one node, here a USER/);
  });

  it('has the templates of OneTable as its guide has them', () => {
    const rows: Row[] = [
      ...range(3).map((i): Row => [`org:o${i}`, 'org:', { _type: 'Org', orgId: `o${i}` }]),
      ...range(40).map((i): Row => [`user:u${i}`, 'user:', { _type: 'User', userId: `u${i}` }]),
      ...range(40).map((i): Row => [`org:o${i % 3}`, `user:u${i}`, { _type: 'Member', userId: `u${i}` }]),
    ];
    const proposal = propose(rows);
    expect(keysOf(proposal)).toEqual({
      nodes: {
        ORG: { source: 'org:{id}', target: 'org:', where: { _type: 'Org' } },
        USER: { source: 'user:{id}', target: 'user:', where: { _type: 'User' } },
      },
      edges: { MEMBER: ['ORG', 'USER', { target: 'user:{to}', where: { _type: 'Member' } }] },
    });
    expect([doubts(proposal), proposal.leftOut]).toEqual([[], []]);
  });

  it('has the templates of DynamoDB-Toolbox, and of keys without attributes beside them', () => {
    for (const marked of [true, false]) {
      const et = (_et: string) => (marked ? { _et } : {}) as Record<string, string>;
      const rows: Row[] = [
        ...range(3).map((i): Row => [`ORG#o${i}`, 'ORG', et('ORG')]),
        ...range(40).map((i): Row => [`USER#u${i}`, 'USER', et('USER')]),
        ...range(40).map((i): Row => [`ORG#o${i % 3}`, `USER#u${i}`, et('MEMBER')]),
      ];
      const proposal = propose(rows);
      const where = (type: string) => (marked ? { where: { _et: type } } : {});
      expect(keysOf(proposal)).toEqual({
        nodes: {
          ORG: { source: 'ORG#{id}', target: 'ORG', ...where('ORG') },
          USER: { source: 'USER#{id}', target: 'USER', ...where('USER') },
        },
        edges: { [marked ? 'MEMBER' : 'ORG_USER']: ['ORG', 'USER', { target: 'USER#{to}', ...where('MEMBER') }] },
      });
      expect([doubts(proposal), proposal.leftOut]).toEqual([[], []]);
    }
  });

  it.each(['#', ':', '-', '_', '@', '|', '/', '~'])('keeps ids whole that have %s in them', (separator) => {
    const ids = ['a', `b${separator}c`, `d${separator}e${separator}f`, `${separator}g`, 'h1', 'i2'];
    const rows: Row[] = ids.flatMap((id): Row[] => [
      [`USER#${id}`, 'PROFILE', { userId: id }],
      [`USER#${id}`, `FRIEND#USER#${ids[0]}`, { since: 'x' }],
    ]);
    const types = typesOf(propose(rows), rows);
    expect(types).toEqual(ids.flatMap((id) => [`USER USER-${id}`, `USER-${id} FRIEND USER-a`]));
  });

  it('takes partition keys that end with a text, and sort keys that have the own id in them', () => {
    const rows: Row[] = range(6).flatMap((i): Row[] => [
      [`t#${i}x#user`, `user#${i}x#profile`],
      [`t#${i}x#user`, 'STATE'],
    ]);
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({ nodes: { T: { source: 't#{id}#user', target: 'user#{id}#profile' } } });
    expect(typesOf(proposal, rows.slice(0, 2))).toEqual(['T T-0x', 'T-0x STATE']);
  });

  it('takes nodes whose sort key is their partition key, and edges between them by Edgeloom’s own keys', () => {
    const rows: Row[] = range(9).flatMap((i): Row[] => [
      [`USER-${i}`, `USER-${i}`, { name: 'x' }],
      [`USER-${i}`, `FOLLOWS-USER-${(i + 1) % 9}`],
    ]);
    const proposal = propose(rows);
    expect(typesOf(proposal, rows.slice(0, 2))).toEqual(['USER USER-0', 'USER-0 FOLLOWS USER-1']);
    expect(proposal.leftOut).toEqual([]);
  });

  const edb = (entity: string) => ({ __edb_e__: entity, __edb_v__: '1' });
  const lostCase = (names: { org: string; user: string; memberOrg: string; memberUser: string }): Row[] =>
    range(9).flatMap((i): Row[] => [
      [`$app#orgid_o${i}x`, '$org_1', { ...edb('org'), [names.org]: `O${i}x` }],
      [`$app#userid_u${i}x`, '$user_1', { ...edb('user'), [names.user]: `u${i}X` }],
      [
        `$app#orgid_o${i}x`,
        `$member_1#userid_u${i}x`,
        { ...edb('member'), [names.memberOrg]: `O${i}x`, [names.memberUser]: `u${i}X` },
      ],
    ]);

  it('takes ids from the attributes whose case the keys have lost', () => {
    const rows = lostCase({ org: 'orgId', user: 'userId', memberOrg: 'orgId', memberUser: 'userId' });
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({
      nodes: {
        ORG: { source: '$app#orgid_{id}', case: 'lower', id: attribute('orgId') },
        USER: { source: '$app#userid_{id}', case: 'lower', id: attribute('userId') },
      },
      edges: { MEMBER: ['ORG', 'USER', { target: '$member_1#userid_{to}', where: edb('member') }] },
    });
    expect([doubts(proposal), proposal.leftOut]).toEqual([[], []]);
    expect(typesOf(proposal, rows.slice(0, 3))).toEqual(['ORG ORG-O0x', 'USER USER-u0X', 'ORG-O0x MEMBER USER-u0X']);
    // Where nodes and edges have them under other names.
    const other = propose(lostCase({ org: 'id', user: 'id', memberOrg: 'org', memberUser: 'user' }));
    expect([doubts(other), other.leftOut]).toEqual([[], []]);
    expect(keysOf(other)).toMatchObject({
      nodes: { ORG: { id: attribute('id') }, USER: { id: attribute('id') } },
      edges: { MEMBER: ['ORG', 'USER', { from: attribute('org'), to: attribute('user') }] },
    });
    expect(typesOf(other, rows.slice(0, 0))).toEqual([]);
  });

  it('says which case the keys have lost where not every item has the id', () => {
    const rows: Row[] = ['Ada', 'grace', 'EDSGER'].map((id) => [`user#${id.toLowerCase()}`, 'user', { handle: id }]);
    expect(keysOf(propose(rows))).toMatchObject({ nodes: { USER: { case: 'lower', id: attribute('handle') } } });
    const lacking: Row[] = [...rows, ['user#alan', 'user']];
    expect(keysOf(propose(lacking))).not.toMatchObject({ nodes: { USER: { id: expect.anything() } } });
    expect(doubts(propose(lacking)).join()).toContain('another case than handle');
    const edges: Row[] = [...rows, ['user#ada', 'follows#user#grace'], ['user#grace', 'follows#user#ada']];
    expect(keysOf(propose(edges))).not.toMatchObject({ nodes: { USER: { id: expect.anything() } } });
    expect(doubts(propose(edges)).join()).toContain('another case than handle');
    const mixed: Row[] = [...rows, ['user#Alan', 'user', { handle: 'ALAN' }]];
    expect(doubts(propose(mixed)).join()).toContain('another case than handle');
  });

  describe('edges that attributes of nodes make', () => {
    const orders = (attributesOf: (i: number) => Record<string, string | number>, customers = 20): Row[] => [
      ...range(customers).map((i): Row => [`CUSTOMER#c${i}`, 'PROFILE', { name: `Customer ${i}` }]),
      ...range(20).map((i): Row => [`ORDER#o${i}`, 'A', { ...attributesOf(i), total: String(i) }]),
    ];
    const madeIn = (proposal: Proposal) =>
      [...proposal.edges].map(([type, { from, to, key }]) => [type, from, to, key]);

    it('are proposed where its values are ids of one type, and are a guess', () => {
      const rows = orders((i) => ({ customerId: `c${i % 7}` }));
      const proposal = propose(rows);
      expect(madeIn(proposal)).toEqual([['ORDER_CUSTOMER', ['ORDER'], 'CUSTOMER', { to: attribute('customerId') }]]);
      expect(doubts(proposal)).toEqual([
        'an attribute of ORDER makes it: of 20 values of customerId 20 are ids of CUSTOMER in the sample',
      ]);
      expect(proposal.leftOut).toEqual([]);
      const raw = { source: 'ORDER#o3', target: 'A' };
      const made = compiled(proposal).table.rawKeys!.allFromRaw(raw, itemOf(rows[23]!));
      expect(made).toContainEqual({ source: 'ORDER-o3', target: 'ORDER_CUSTOMER-CUSTOMER-c3' });
    });

    it('are proposed by the form of ids that the sample lacks, if the attribute has the name of the type', () => {
      const unseen = (i: number) => `c${i + 100}`;
      expect(madeIn(propose(orders((i) => ({ customer_id: unseen(i) }))))).toHaveLength(1);
      expect(madeIn(propose(orders((i) => ({ buyer: unseen(i) }))))).toEqual([]);
      expect([...propose(orders((i) => ({ buyer: `c${i % 5}` }))).edges.keys()]).toEqual(['ORDER_BUYER']);
    });

    it('are not proposed for a tenth of other values, numbers, texts of digits, own ids, and keys of indexes', () => {
      const none = [
        propose(orders((i) => ({ customerId: i % 6 === 0 ? 'none' : `c${i % 7}` }))),
        propose(orders((i) => ({ rank: i % 7 }))),
        propose([...range(20).map((i): Row => [`USER#${i}`, 'A', { level: String(i % 3) }])]),
        propose(orders((i) => ({ orderId: `o${i}` }))),
        propose(orders((i) => ({ customerName: `Customer ${i}` }))),
        propose(
          orders((i) => ({ GSI1PK: `c${i % 7}` })),
          { ...FACTS, keyAttributes: new Set(['GSI1PK']) },
        ),
      ];
      for (const proposal of none) expect(madeIn(proposal)).toEqual([]);
    });

    it('enter nodes whose ids are in attributes by these ids', () => {
      const rows: Row[] = range(12).flatMap((i): Row[] => [
        [`customer#c${i}x`, 'customer', { customerId: `C${i}x` }],
        [`order#${i}`, 'order', { buyer: `C${i % 5}x` }],
      ]);
      expect(madeIn(propose(rows))).toMatchObject([['ORDER_BUYER', ['ORDER'], 'CUSTOMER', { to: attribute('buyer') }]]);
    });
  });

  it('says of an item of its own, such as CONFIG, that its partition key has no id', () => {
    const rows: Row[] = range(9).map((i): Row => [`USER#u${i}`, 'PROFILE']);
    const proposal = propose([...rows, ['CONFIG', 'CONFIG'], ['STATS', 'TOTAL']]);
    expect([...proposal.nodes.keys()]).toEqual(['USER']);
    expect(leftOut(proposal)).toEqual([[2, expect.stringMatching(/^the partition key has no text before an id/)]]);
  });

  it('proposes a type for each item where there is one of each, and says what is a guess', () => {
    const rows: Row[] = [
      ['USER#7', 'PROFILE', { userId: '7' }],
      ['ORG#acme', 'META'],
      ['ORG#acme', 'MEMBER#USER#7'],
      ['CONFIG', 'CONFIG'],
    ];
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({
      nodes: { USER: { source: 'USER#{id}', target: 'PROFILE' }, ORG: { source: 'ORG#{id}', target: 'META' } },
      edges: { MEMBER: ['ORG', 'USER', { target: 'MEMBER#USER#{to}' }] },
    });
    expect(doubts(proposal).filter((doubt) => doubt.includes('one such partition key')).length).toBeGreaterThan(1);
  });

  it('says of targets without a word of their type why it takes them', () => {
    const rows: Row[] = range(20).flatMap((i): Row[] => [
      [`USER#${i}x`, 'PROFILE'],
      [`USER#${i}x`, `FOLLOWS#${(i + 1) % 20}x`],
      [`USER#${i}x`, `ORDER#2026-${i}`],
    ]);
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({ edges: { FOLLOWS: ['USER', 'USER', { target: 'FOLLOWS#{to}' }] } });
    expect(doubts(proposal)).toEqual(['only its targets say that it enters USER: 20 of 20 are ids of the sample']);
    expect(leftOut(proposal)).toEqual([[20, 'no partition key has "ORDER#" before its id']]);
  });

  it('tells edge types of the same keys apart by the attribute of a library, and joins the sources of one', () => {
    const rows: Row[] = range(12).flatMap((i): Row[] => [
      [`ORG#${i}o`, 'ORG', { _type: 'Org' }],
      [`TEAM#${i}t`, 'TEAM', { _type: 'Team' }],
      [`USER#${i}u`, 'USER', { _type: 'User' }],
      [`ORG#${i}o`, `USER#${i}u`, { _type: i % 2 ? 'Admin' : 'Member' }],
      [`TEAM#${i}t`, `USER#${i}u`, { _type: 'Member' }],
    ]);
    const proposal = propose(rows);
    expect(keysOf(proposal)).toMatchObject({
      edges: {
        MEMBER: ['ORG,TEAM', 'USER', { target: 'USER#{to}', where: { _type: 'Member' } }],
        ADMIN: ['ORG', 'USER', { target: 'USER#{to}', where: { _type: 'Admin' } }],
      },
    });
    expect(proposal.leftOut).toEqual([]);
  });

  it('takes no tenant for the text before an id', () => {
    const rows: Row[] = range(30).map((i) => {
      const [tenant, user] = [`t${['a', 'b', 'c'][i % 3]}`, `u${i}`];
      return [`APP#${tenant}#${user}`, 'PROFILE', { tenant, user }];
    });
    expect([...propose(rows).nodes.values()].map(({ key }) => key.source)).toEqual(['APP#{id}']);
  });

  it('leaves the attributes of indexes out, which hold keys', () => {
    const rows: Row[] = range(9).flatMap((i): Row[] => [
      [`USER#${i}u`, 'USER'],
      [`ORG#${i}o`, 'ORG'],
      [`ORG#${i}o`, `MEMBER#USER#${i}u`, { GSI1PK: `USER#${i}u`, GSI1SK: `ORG#${i}o` }],
    ]);
    const proposal = propose(rows, { ...FACTS, keyAttributes: new Set(['GSI1PK', 'GSI1SK']) });
    expect(keysOf(proposal)).toMatchObject({ edges: { MEMBER: ['ORG', 'USER', { target: 'MEMBER#USER#{to}' }] } });
  });

  it('ends with 10,000 types, addresses as keys, and braces', () => {
    const letters = (i: number) => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const many = propose(range(10_000).map((i) => [`T${letters(i)}#${i}`, 'META', { _type: `T${letters(i)}` }]));
    expect(many.nodes.size).toBe(200);
    expect(leftOut(many)[0]).toEqual([9_800, expect.stringContaining('only the 200')]);
    const addresses = propose(range(2_000).map((i) => [`${letters(i)}@example.${i % 2 ? 'com' : 'org'}`, 'PROFILE']));
    expect([...addresses.nodes.values()].map(({ key }) => key.source)).toEqual(['{id}']);
    expect(addresses.leftOut).toEqual([]);
    const braces = propose([
      ['U{S}#1', 'PROFILE'],
      ['ORG#1', 'META'],
    ]);
    expect(leftOut(braces)).toEqual([[1, expect.stringContaining('braces')]]);
  });

  it('says what it cannot have, such as two forms of partitions of which one is in the other', () => {
    const rows: Row[] = range(30).map((i) => [i % 3 ? `USER#${i}` : `USER#ADMIN#${i}`, 'PROFILE', { id: i }]);
    const proposal = propose(rows);
    expect(proposal.nodes.size).toBe(1);
    expect(() => compiled(proposal)).not.toThrow();
  });

  const piece = fc.oneof(
    fc.constantFrom(
      'USER',
      'ORG',
      '#',
      ':',
      '_',
      '-',
      '~',
      '{',
      '}',
      "'",
      '\\',
      '\n',
      '\u2028',
      'meta',
      '$app',
      '7',
      'a',
      '*/',
    ),
    fc.string({ maxLength: 3, unit: 'binary' }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `x${pieces.join('')}`.slice(1) || 'x');

  it('compiles whatever the keys are, and says the same of each item as the model does', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(text, text, fc.constantFrom<Row[2][]>({}, { _type: 'User' }, { __edb_e__: 'org', __edb_v__: '1' })),
          {
            minLength: 1,
            maxLength: 30,
          },
        ),
        (rows) => {
          const proposal = propose(rows);
          if (proposal.nodes.size === 0) return;
          const graph = compiled(proposal);
          const left = rows.filter((row) => {
            const key = graph.table.rawKeys!.fromRaw({ source: row[0], target: row[1] }, itemOf(row));
            return ['unknown', 'misfit'].includes(classifyBaseItem(graph, key.source, key.target, itemOf(row)).kind);
          });
          expect(proposal.leftOut.reduce((sum, { items }) => sum + items, 0)).toBe(left.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
