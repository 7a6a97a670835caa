import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { Choices } from '../simulator/kernel/choices.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { chooseModel, graphOf, type ModelOptions } from '../simulator/packs/projecting/models.ts';
import { expectedPartitions, isPoison } from '../simulator/packs/projecting/oracle.ts';
import { PACK } from '../simulator/packs/projecting/schedule.ts';
import { differences } from '../simulator/packs/projecting/verdict.ts';
import { drop } from '../simulator/planted/changes.ts';
import { plantedModules } from '../simulator/planted/modules.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { MUTANTS } from '../simulator/planted/mutants.ts';
import { SHOWN_AT } from '../simulator/planted/shown.ts';

const OPTIONS: ModelOptions = {
  view: 'title',
  labels: 'role',
  inbound: 'rank-date',
  search: 'name-tags',
  link: 'unlisted',
  budget: 'ample',
  counted: 'none',
  named: 'date',
  owner: 'included',
  keys: 'plain',
  copies: 'none',
  peer: 'none',
  joined: 'none',
  totals: 'none',
  parts: 'none',
  packed: 'none',
  deletion: 'none',
};

const NODE: Item = {
  source: { S: 'GOAL-1' },
  target: { S: 'GOAL-1' },
  title: { S: 'one' },
  name: { S: 'ann' },
  tags: { SS: ['a'] },
};
const MEMBER: Item = {
  source: { S: 'GOAL-1' },
  target: { S: 'MEMBER-USER-2|a=%7C' },
  role: { S: 'LEAD' },
  date: { S: '2020-01-01' },
};
const HASHED_OPTIONS: ModelOptions = { ...OPTIONS, keys: 'hashed' };
/** Of `printf %s 'USER-2|a=%7C' | sha256sum`. */
const HASHED_KEY = 'MEMBER-#11a12b61834bde84935376cc928608f6';
const HASHED: Item = { ...MEMBER, target: { S: HASHED_KEY }, targetId: { S: 'USER-2|a=%7C' } };
const VIEW: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~view' },
  edgeSet: { SS: ['MEMBER-USER-2%7Ca=%257C|role=LEAD'] },
  attributes: { M: { title: { S: 'one' } } },
};
const MEMBER_INDEX: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~ix/MEMBER-USER-2|a=%7C' },
  gsi0pk: { S: 'MEMBER-USER-2|a=%7C' },
  gsi0sk: { S: '500-LEAD\u0000GOAL-1' },
  gsi1pk: { S: 'MEMBER-USER-2|a=%7C' },
  gsi1sk: { S: '2020-01-01T00:00:00\u0000GOAL-1' },
  attributes: { M: { role: { S: 'LEAD' } } },
};
const NAME_INDEX: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~ix/name' },
  gsi0pk: { S: 'GOAL.name' },
  gsi0sk: { S: 'ann\u0000GOAL-1' },
  value: { S: 'ann' },
  attributes: { M: { title: { S: 'one' } } },
};
const TAG_INDEX: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~ix/tags/a' },
  gsi0pk: { S: 'GOAL.tags#21' },
  gsi0sk: { S: 'a\u0000GOAL-1' },
  value: { S: 'a' },
};
const DATE_INDEX: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~ix/#byDate/MEMBER-USER-2|a=%7C' },
  gsi0pk: { S: 'byDate/MEMBER-USER-2|a=%7C' },
  gsi0sk: { S: '2020-01-01T00:00:00\u0000GOAL-1' },
  attributes: { M: { role: { S: 'LEAD' } } },
};
const OWNER_INDEX: Item = {
  source: { S: 'GOAL-1' },
  target: { S: '~ix/#includeTarget/PART' },
  gsi0pk: { S: 'PART-GOAL-1' },
  gsi0sk: { S: '\u{10ffff}\u0002' },
  attributes: { M: { title: { S: 'one' } } },
};
const OWNER_BY_DATE_INDEX: Item = {
  ...OWNER_INDEX,
  target: { S: '~ix/#includeTarget/PART/byDate' },
  gsi0pk: { S: 'byDate/PART-GOAL-1' },
};
const INDEX_ITEMS = [MEMBER_INDEX, NAME_INDEX, TAG_INDEX, DATE_INDEX, OWNER_INDEX, OWNER_BY_DATE_INDEX];
const TABLE = [NODE, MEMBER, VIEW, ...INDEX_ITEMS];

function judge(items: readonly Item[]): string[] {
  return differences({ options: OPTIONS, items, givenUp: new Set(), unmended: new Set() });
}

describe('schedules', () => {
  it('are the same for the same seed, and for the script recorded of it', async () => {
    for (const seed of [3, 14, 159]) {
      const first = await PACK.run(seed, true);
      const again = await PACK.run(seed, true);
      const replayed = await PACK.play(first);
      expect(again).toEqual(first);
      expect(replayed).toEqual(first);
    }
  });

  it('differ from seed to seed', async () => {
    const scripts = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) scripts.add(JSON.stringify((await PACK.run(seed, true)).script));
    expect(scripts.size).toBe(20);
  });

  it('that fail are shortened to a script that fails too, and that the real code passes', async () => {
    const mutant = MUTANTS.find(({ name }) => name === 'index-fields-left')!;
    const runner = await Runner.load(mutant);
    // The search begins at the seed that is kept for the bug.
    const first = SHOWN_AT.projecting?.[mutant.name] ?? 1;
    const { seeds } = await runner.runSeeds({ first, count: 2_000, mostFailures: 1, pack: 'projecting' });
    const { kept, failures, trace } = await runner.shorten('projecting', seeds[0]!.seed);
    expect(failures).not.toEqual([]);
    expect(await runner.play('projecting', kept)).toEqual(failures);
    expect(Object.keys(kept.script!).length).toBeLessThan(40);
    expect(trace.join('\n')).toContain('producer');
    expect((await PACK.play(kept)).failures).toEqual([]);
  });

  it('do not begin where a bug cannot be planted', async () => {
    const bugAt = (mark: string): Mutant => ({ name: 'no-bug', rule: '', changes: [drop(mark)] });
    await expect(Runner.load(bugAt('no-such-rule'))).rejects.toThrow(
      'No comment "// rule: no-such-rule" marks the code',
    );
    const withoutWriter = 'test/simulator/kernel/random.ts';
    const bug = bugAt('update-is-made-of-the-item-as-seen');
    await expect(plantedModules.load(withoutWriter, bug)).rejects.toThrow(
      'src/client/write/update/seen.ts is no part of test/simulator/kernel/random.ts',
    );
  });
});

describe('a script that names no order by name and no owner', () => {
  it('is of a model without them, as it was before there were any', () => {
    const plain = chooseModel(Choices.scripted({ 'model.inbound': 2 }));
    expect(plain).toMatchObject({ inbound: 'rank-date', named: 'none', owner: 'none' });
    const { nodes, edges } = graphOf(plain);
    expect([...edges.keys()]).toEqual(['MEMBER', 'LINK']);
    expect([...edges.get('MEMBER')!.inbound!.orders.keys()]).toEqual(['gsi0', 'gsi1']);
    expect(nodes.get('GOAL')!.includedBy).toEqual([]);
  });
});

describe('the oracle', () => {
  it('expects what the contract says of a node and an edge', () => {
    const partition = expectedPartitions(OPTIONS, [NODE, MEMBER]).get('GOAL-1')!;
    expect(partition.elements).toEqual(new Set(['MEMBER-USER-2%7Ca=%257C|role=LEAD']));
    expect(partition.attributes).toEqual({ title: { S: 'one' } });
    expect([...partition.indexItems.keys()].sort()).toEqual(
      INDEX_ITEMS.map(({ target }) => (target as { S: string }).S).sort(),
    );
  });

  it('expects hashed keys with their target beside them', () => {
    const { targetId: _, ...nameless } = HASHED;
    const partition = expectedPartitions(HASHED_OPTIONS, [HASHED, nameless]).get('GOAL-1')!;
    expect(partition.elements).toEqual(new Set([`${HASHED_KEY}|target=USER-2%7Ca=%257C|role=LEAD`]));
    expect([...partition.indexItems.keys()].sort()).toEqual([`~ix/#byDate/${HASHED_KEY}`, `~ix/${HASHED_KEY}`]);
    expect(partition.indexItems.get(`~ix/${HASHED_KEY}`)).toMatchObject({ gsi0pk: { S: HASHED_KEY } });
    expect(isPoison(HASHED_OPTIONS, HASHED)).toBe(false);
    expect(isPoison(HASHED_OPTIONS, nameless)).toBe(true);
    expect(isPoison(HASHED_OPTIONS, { ...HASHED, targetId: { S: 'USER-1' } })).toBe(true);
    expect(isPoison(HASHED_OPTIONS, MEMBER)).toBe(true);
  });

  it.each([
    ['a label without a rank', { ...MEMBER, role: { S: 'NOBODY' } }],
    ['a text that is no date', { ...MEMBER, date: { S: 'soon' } }],
    ['a number for a name', { ...NODE, name: { N: '1' } }],
    ['a list with a number for tags', { ...NODE, tags: { L: [{ S: 'a' }, { N: '1' }] } }],
    ['an edge to a node of another type', { source: { S: 'GOAL-1' }, target: { S: 'MEMBER-GOAL-2' } }],
  ] as const)('holds for poison: %s', (_what, image) => {
    expect(isPoison(OPTIONS, image as Item)).toBe(true);
  });

  it('holds nothing else for poison', () => {
    for (const image of [NODE, MEMBER, { source: { S: 'GOAL-1' }, target: { S: 'OTHER-USER-1' } }]) {
      expect(isPoison(OPTIONS, image)).toBe(false);
    }
  });
});

describe('the verdict', () => {
  it('finds nothing where all is right; tombstones and empty views count as absent', () => {
    expect(judge(TABLE)).toEqual([]);
    const tombstone = { source: { S: 'GOAL-2' }, target: { S: '~ix/name' }, expiresAt: { N: '1' } };
    expect(judge([...TABLE, tombstone, { source: { S: 'GOAL-2' }, target: { S: '~view' } }])).toEqual([]);
  });

  it.each(TABLE.slice(2))('misses $target.S', (missing) => {
    expect(judge(TABLE.filter((item) => item !== missing))).toHaveLength(1);
  });

  it.each([
    ['an element too many', VIEW, { edgeSet: { SS: ['MEMBER-USER-2%7Ca=%257C|role=LEAD', 'LINK-USER-1'] } }],
    ['an old label', VIEW, { edgeSet: { SS: ['MEMBER-USER-2%7Ca=%257C|role=TEAM'] } }],
    ['other attributes', VIEW, { attributes: { M: {} } }],
    ['a mark of eviction', VIEW, { evicted: { SS: ['LINK'] } }],
    ['an expiry of a live view', VIEW, { expiresAt: { N: '1' } }],
    ['keys of an index on a view', VIEW, { gsi0pk: { S: 'x' } }],
    ['another index key', NAME_INDEX, { gsi0sk: { S: 'bob\u0000GOAL-1' } }],
    ['another value', NAME_INDEX, { value: { S: 'bob' } }],
    ['keys of the second index', NAME_INDEX, { gsi1pk: { S: 'x' }, gsi1sk: { S: 'x' } }],
    ['an expiry of a live index item', NAME_INDEX, { expiresAt: { N: '1' } }],
  ] satisfies [string, Item, Item][])('finds %s', (_what, changed, change) => {
    expect(judge(TABLE.map((item) => (item === changed ? { ...item, ...change } : item)))).toHaveLength(1);
  });

  it('finds an index item too many', () => {
    expect(judge([...TABLE, { ...TAG_INDEX, target: { S: '~ix/tags/b' } }])).toHaveLength(1);
    expect(judge([...TABLE, { ...TAG_INDEX, source: { S: 'GOAL-2' } }])).toHaveLength(1);
  });

  it('misses the quarantine entry of a record, and finds one without a record', () => {
    const poison = { ...NODE, name: { N: '1' } };
    const table = TABLE.map((item) => (item === NODE ? poison : item));
    const entry = { source: { S: 'GOAL-1' }, target: { S: '~quarantine/GOAL-1' }, of: { S: 'GOAL-1' } };
    const ofEntries = (items: readonly Item[]) => judge(items).filter((text) => text.includes('quarantine entry'));
    expect(ofEntries(table)).toHaveLength(1);
    expect(ofEntries([...table, entry])).toEqual([]);
    expect(ofEntries([...TABLE, entry])).toHaveLength(1);
    expect(ofEntries([...TABLE, { ...entry, of: undefined } as never])).toEqual([]);
  });
});
