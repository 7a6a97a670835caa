import { describe, expect, it } from 'vitest';
import { type AttributeValue, type Item, setOwn } from '../../../src/core/items/attribute-value.ts';
import { TARGET_SORT_KEY } from '../../../src/core/items/encoding.ts';
import { shardOf } from '../../../src/core/items/shard.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { derive as computed, edge, rank } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { indexSortKey } from '../../support/derived-keys.ts';
import { anyNode } from '../../support/model.ts';
import { baseItem } from '../../support/records.ts';

const ID = 'USER-1';
/** Too large for an index item, and not for a node. */
const huge = { S: 'x'.repeat(406_000) };

/** What a user with these options and attributes wants derived. */
function derived(options: object, attributes: Item, id = ID) {
  const graph = defineGraph({ table: 'records', nodes: { USER: anyNode({ view: 'ALL', ...options }) } });
  return derivedOf(graph, id, id, baseItem(id, id, attributes));
}

/** The index items of a user with one search, `name`. */
function indexed(entry: unknown, attributes: Item, id = ID): Record<string, Item> {
  const { indexItems, problems } = derived({ search: { name: entry } }, attributes, id);
  expect(problems).toEqual([]);
  return Object.fromEntries(indexItems);
}

/** The one search item of `name`: its partition, and the value part of its sort key. */
function only(entry: unknown, attributes: Item, id = ID): { partition: string; value: string } | undefined {
  const item = indexed(entry, attributes, id)['~ix/name'];
  if (item === undefined) return undefined;
  const [value, source] = (item['gsi0sk'] as { S: string }).S.split('\u0000');
  expect(source).toBe(id);
  return { partition: (item['gsi0pk'] as { S: string }).S, value: value! };
}

describe('the part of a node in its view', () => {
  const attributes: Item = { title: { S: 't' }, n: { N: '1' }, constructor: { S: 'c' } };
  it('is all of its attributes without the keys where it shows all', () => {
    expect(derived({}, attributes).attributes).toEqual(attributes);
    expect(derived({ view: 'ALL' }, attributes).attributes).toEqual(attributes);
  });
  it('is a list of them, absent ones left out', () => {
    expect(derived({ view: ['title', 'missing'] }, attributes).attributes).toEqual({ title: { S: 't' } });
  });
  it('is empty, and yet there, where only keys are projected: the node exists', () => {
    expect(derived({ view: 'KEYS_ONLY' }, attributes).attributes).toEqual({});
    expect(derived({}, {}).attributes).toEqual({});
  });
  it('is none by default where no edge set asks for one, and is empty where one does', () => {
    const own = (edgeSet: false | []) => {
      const edges = { KNOWS: edge({ from: 'USER', to: 'USER', edgeSet }) };
      const graph = defineGraph({ table: 'records', nodes: { USER: anyNode() }, edges });
      return derivedOf(graph, ID, ID, baseItem(ID, ID, { title: { S: 't' } }));
    };
    expect(own(false)).toEqual({ indexItems: new Map(), problems: [] });
    expect(own([])).toMatchObject({ attributes: {} });
  });
  it('does not take a property that every object has for an attribute', () => {
    expect(derived({ view: ['constructor', 'toString'] }, { title: { S: 't' } }).attributes).toEqual({});
  });
  it('leaves out keys by the names that the table gives them', () => {
    const table = { name: 'records', partitionKey: 'pk', sortKey: 'sk' };
    const graph = defineGraph({ table, nodes: { USER: anyNode({ view: 'ALL' }) } });
    const image = { pk: { S: ID }, sk: { S: ID }, source: { S: 'web' } };
    expect(derivedOf(graph, ID, ID, image).attributes).toEqual({ source: { S: 'web' } });
  });
  it('turns the base64 text of a Lambda event into bytes', () => {
    const event = { photo: { B: 'AQI=' }, more: { L: [{ BS: ['AQ=='] }] } } as unknown as Item;
    expect(derived({}, event).attributes).toEqual({
      photo: { B: new Uint8Array([1, 2]) },
      more: { L: [{ BS: [new Uint8Array([1])] }] },
    });
  });
  it('is nothing for a type outside of the model, which is no problem', () => {
    const graph = defineGraph({ table: 'records', nodes: { USER: anyNode({ view: 'ALL' }) } });
    expect(derivedOf(graph, 'ORG-1', 'ORG-1', baseItem('ORG-1', 'ORG-1'))).toEqual({
      indexItems: new Map(),
      problems: [],
    });
  });
});

describe('a search item', () => {
  it('has index keys, the original value, and by default no attributes', () => {
    const items = indexed({ hash: 'codepoint-product' }, { name: { S: 'Terui' }, age: { N: '1' } });
    expect(items).toEqual({
      '~ix/name': {
        gsi0pk: { S: 'USER.name#161' },
        gsi0sk: { S: indexSortKey('Terui', ID) },
        value: { S: 'Terui' },
      },
    });
  });
  it('caseInsensitive: the key is folded, the shard too, the value shown is the original', () => {
    const items = indexed({ caseInsensitive: true, hash: 'codepoint-product' }, { name: { S: 'TERUI' } });
    expect(items['~ix/name']).toEqual({
      gsi0pk: { S: 'USER.name#41' },
      gsi0sk: { S: indexSortKey('terui', ID) },
      value: { S: 'TERUI' },
    });
  });
  it('attribute: another attribute, a rank, a computed text', () => {
    expect(only({ attribute: 'alias', shards: 1 }, { alias: { S: 'x' } })?.value).toBe('x');
    const level = rank('level', { HIGH: 20, LOW: 10 });
    expect(only({ attribute: level, shards: 1 }, { level: { S: 'LOW' } })?.value).toBe('10-LOW');
    const initial = computed(
      ({ last }, { source, type, target }) => `${String(last).charAt(0)} ${source} ${type} ${target}`,
    );
    expect(only({ attribute: initial, shards: 1 }, { last: { S: 'Lovelace' } })?.value).toBe('L USER-1 USER USER-1');
  });
  it('attribute: a computation sees plain values with all digits, and not the keys', () => {
    let seen: unknown;
    const look = computed((attributes) => {
      seen = attributes;
      return 'x';
    });
    indexed({ attribute: look }, { n: { N: '12345678901234567890' }, s: { SS: ['a'] } });
    expect(seen).toEqual({ n: expect.objectContaining({ value: '12345678901234567890' }), s: new Set(['a']) });
  });
  it("shards: 1 adds no suffix, 'value' puts the value into the partition", () => {
    expect(only({ shards: 1 }, { name: { S: 'a' } })?.partition).toBe('USER.name');
    expect(only({ shards: 'value' }, { name: { S: 'a' } })?.partition).toBe('USER.name#=a');
  });
  it('shardBy: the shard is of the value, or of the source', () => {
    const partition = (shardBy: string, id: string) => only({ shardBy }, { name: { S: 'same' } }, id)?.partition;
    expect(partition('value', 'USER-1')).toBe(partition('value', 'USER-2'));
    expect(partition('source', 'USER-1')).not.toBe(partition('source', 'USER-2'));
  });
  it('project: a list or all attributes are copied', () => {
    const attributes = { name: { S: 'a' }, age: { N: '1' } };
    const copied = (project: unknown) => indexed({ project }, attributes)['~ix/name']?.['attributes'];
    expect(copied('KEYS_ONLY')).toBeUndefined();
    expect(copied(['age', 'missing'])).toEqual({ M: { age: { N: '1' } } });
    expect(copied('ALL')).toEqual({ M: attributes });
  });
});

describe('each: one search item for each value', () => {
  const keys = (entry: object, value: AttributeValue): string[] =>
    Object.keys(indexed({ multiValue: true, ...entry }, { name: value })).sort();

  it.each<[string, object, AttributeValue, string[]]>([
    ['of a list', {}, { L: [{ S: 'ramen' }, { S: 'soba' }] }, ['~ix/name/ramen', '~ix/name/soba']],
    ['of a string set', {}, { SS: ['soba', 'ramen'] }, ['~ix/name/ramen', '~ix/name/soba']],
    ['of a number set', { type: 'number' }, { NS: ['12', '1.2e1'] }, ['~ix/name/150212']],
    ['of dates', { type: 'date' }, { L: [{ S: '2020-01-01' }] }, ['~ix/name/2020-01-01T00:00:00']],
    ['of an empty list', {}, { L: [] }, []],
  ])('%s', (_name, entry, value, expected) => expect(keys(entry, value)).toEqual(expected));
});

describe('the target items of a node', () => {
  const edges = {
    FOR: edge({
      from: 'USER',
      to: 'USER',
      inbound: { orders: { gsi0: 'since', gsi1: 'title', byHours: 'hours' }, includeTarget: true },
    }),
    KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
  };
  const owned = (options: object, attributes: Item, id = ID) => {
    const graph = defineGraph({ table: 'records', nodes: { USER: anyNode({ view: 'ALL', ...options }) }, edges });
    return derivedOf(graph, id, id, baseItem(id, id, attributes));
  };
  const keys = (index: string, partition: string): Item => ({
    [`${index}pk`]: { S: partition },
    [`${index}sk`]: { S: TARGET_SORT_KEY },
  });
  it('have no attributes where the view has none, and are there for a node without attributes', () => {
    const itemsOf = (options: object) => owned(options, {}).indexItems.get('~ix/#includeTarget/FOR/byHours');
    expect(itemsOf({ view: 'KEYS_ONLY' })).toEqual(keys('gsi0', 'byHours/FOR-USER-1'));
    expect(itemsOf({})).toEqual({ ...keys('gsi0', 'byHours/FOR-USER-1'), attributes: { M: {} } });
  });
  it('are not expected where the id leaves no room for the key of any edge', () => {
    const fitting = `USER-${'x'.repeat(1024 - 'FOR-USER-'.length)}`;
    expect([...owned({}, {}, fitting).indexItems.keys()]).toEqual(['~ix/#includeTarget/FOR']);
    const { indexItems, problems } = owned({}, {}, `${fitting}x`);
    expect([indexItems.size, problems]).toEqual([0, []]);
  });
  it('beyond 400 KB are a problem, each', () => {
    expect(owned({}, { huge }).problems.map(({ code }) => code)).toEqual(['item-too-large', 'item-too-large']);
    expect(owned({ view: 'KEYS_ONLY' }, { huge }).problems).toEqual([]);
  });
});

describe('what cannot be derived', () => {
  const problemsOf = (options: object, attributes: Item) => derived(options, attributes).problems;
  const long = { S: 'x'.repeat(1100) };
  const fail = (reason: unknown): never => {
    throw reason;
  };

  it.each<[string, string, unknown, Item]>([
    ['wrong-type', 'name', {}, { name: { N: '1' } }],
    ['wrong-type', 'name', { type: 'number' }, { name: { S: '1' } }],
    ['wrong-type', 'name', { type: 'date' }, { name: { S: 'soon' } }],
    ['wrong-type', 'level', rank('level', { A: 1 }), { level: { N: '1' } }],
    ['wrong-type', 'name', { multiValue: true }, { name: { S: 'a' } }],
    ['wrong-type', 'name', { multiValue: true }, { name: { BS: [new Uint8Array([1])] } }],
    ['wrong-type', 'name', { multiValue: true }, { name: { L: [{ S: 'a' }, { N: '1' }] } }],
    ['wrong-type', 'country', { partition: 'country' }, { name: { S: 'a' }, country: { N: '1' } }],
    ['undeclared-label', 'level', rank('level', { A: 1 }), { level: { S: 'B' } }],
    ['wrong-type', 'zip', { path: ['state', 'zip'] }, { state: { S: 'CA' }, zip: { N: '9' } }],
    ['key-too-long', 'state', { path: ['state', 'zip'] }, { state: long }],
    ['key-too-long', 'name', {}, { name: long }],
    ['key-too-long', 'name', { partition: 'country' }, { name: { S: 'a' }, country: long }],
  ])('a problem (%s) names attribute %s: %j of %j', (code, attribute, entry, attributes) => {
    const [problem, ...others] = problemsOf({ search: { name: entry } }, attributes);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code, attribute });
    expect(problem?.message).toContain(`attribute ${attribute}`);
    expect(problem?.message).toContain('USER.name');
  });

  it.each([new Error('no last name'), 'no last name'])('a computation that throws is a problem: %s', (thrown) => {
    const options = { search: { name: computed(() => fail(thrown)) } };
    expect(problemsOf(options, {})).toEqual([
      { code: 'derive-failed', attribute: undefined, message: 'derive for search USER.name threw: no last name' },
    ]);
  });
  it('a computation that gives no string is a problem', () => {
    const options = { search: { name: computed((() => 7) as unknown as () => string) } };
    expect(problemsOf(options, {})).toMatchObject([
      { code: 'derive-failed', message: expect.stringContaining('number') },
    ]);
  });
  it('a computation that is asynchronous is a problem, and its rejection ends no process', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const compute = (async () => fail(new Error('no last name'))) as unknown as () => string;
    expect(problemsOf({ search: { name: computed(compute) } }, {})).toMatchObject([
      { code: 'derive-failed', message: expect.stringContaining('a promise') },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });
  it('a computed lone surrogate is a problem: it would be stored as another text', () => {
    expect(problemsOf({ search: { name: computed(() => 'a\ud800') } }, {})).toMatchObject([{ code: 'wrong-type' }]);
  });
  it.each<[string, object, Item]>([
    ['its attributes', { name: { project: 'ALL' } }, { name: { S: 'a' }, huge }],
    [
      'its value, and the attribute again',
      { bio: { shards: 'value', project: ['bio'] } },
      { bio: { S: 'x'.repeat(210_000) } },
    ],
    ['its value alone', { bio: { shards: 'value', project: 'KEYS_ONLY' } }, { bio: { S: 'x'.repeat(409_500) } }],
  ])('an index item beyond 400 KB is a problem: by %s', (_name, search, attributes) => {
    expect(problemsOf({ search }, attributes)).toMatchObject([{ code: 'item-too-large' }]);
  });

  it('a path is its segments, each with an end, up to the first attribute that is absent', () => {
    const entry = { path: ['state', 'city', 'zip'], shards: 1 };
    const [state, city, zip] = [{ S: 'CA' }, { S: 'San Jose' }, { S: '95112' }];
    const whole = indexed(entry, { state, city, zip })['~ix/name'];
    expect(whole).toEqual({
      gsi0pk: { S: 'USER.name' },
      gsi0sk: { S: 'CA\u0001San Jose\u000195112\u0001\u0000USER-1' },
      value: { L: [state, city, zip] },
    });
    expect(only(entry, { state, zip })?.value).toBe('CA\u0001');
    expect(indexed(entry, { city, zip })).toEqual({});
    expect(only({ ...entry, caseInsensitive: true }, { state, city })?.value).toBe('ca\u0001san jose\u0001');
    expect(only(entry, { state: { S: 'a\u0002\u0001' } })?.value).toBe('a\u0002c\u0002b\u0001');
  });
  it('the shard of a path is taken from the whole path', () => {
    const entry = { path: ['state', 'city'], shards: 200 };
    const shardOfPath = (text: string): string => `USER.name#${shardOf(text, 200, 'fnv1a')}`;
    const attributes = { state: { S: 'CA' }, city: { S: 'San Jose' } };
    expect(only(entry, attributes)?.partition).toBe(shardOfPath('CA\u0001San Jose\u0001'));
    expect(only(entry, { state: { S: 'CA' } })?.partition).toBe(shardOfPath('CA\u0001'));
  });

  it('takes attributes named __proto__ for data', () => {
    const attributes: Item = { name: { S: 'a' } };
    setOwn<AttributeValue>(attributes, '__proto__', { S: 'p' });
    expect(
      derived({ search: { name: { attribute: computed((given) => Object.keys(given).sort().join()) } } }, attributes)
        .problems,
    ).toEqual([]);
  });
});
