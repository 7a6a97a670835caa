import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { Choices } from '../../kernel/choices.ts';
import { textOf } from '../../kernel/values.ts';
import type { World } from './world.ts';

/** Ways to break what is derived, as a restored backup, a script or a hand in the console does. */
const WAYS = [
  'delete',
  'bury',
  'field',
  'element',
  'extra',
  'mark',
  'watermark',
  'expiry',
  'ghost',
  'unknown',
  'copy',
  'reverse',
  'stuck',
  'stuckSource',
] as const;
const MOST_DAMAGES = 3;
/** Attributes of an item that holds nothing. */
const EMPTY: ReadonlySet<string> = new Set(['source', 'target', 'w', 'r', 'model', 'fence', 'expiresAt']);

/**
 * Breaks derived items of a table; gives how many. `isRecorded`: each has a record. Else that of a fan-out is lost, which is how one
 * gets stuck.
 */
export async function damage(world: World, name: string, isRecorded = false): Promise<number> {
  const { choices, table } = world;
  const count = 1 + choices.pick(`${name}.count`, MOST_DAMAGES);
  for (let i = 0; i < count; i++) {
    const derived = [...table.items()].filter(({ target }) => /^~(view|ix|degree|rev|in|total)/.test(textOf(target)));
    const item = derived[choices.pick(`${name}.${i}.item`, Math.max(1, derived.length))];
    if (item === undefined) return 0;
    const way = WAYS[choices.pick(`${name}.${i}.way`, WAYS.length)]!;
    // What holds nothing, as a tombstone does, or as it should, leaves nothing to be found and to be repaired where it is lost.
    if (way === 'delete' && (i > 0 || Object.keys(item).every((name) => EMPTY.has(name)))) continue;
    const key = { source: textOf(item['source']), target: textOf(item['target']) };
    world.tell(() => `damage: ${way} of ${key.source} ${key.target}`);
    if (way === 'delete') await table.delete(key);
    else if (!isRecorded && (way === 'stuck' || way === 'stuckSource'))
      await world.putUnrecorded(broken(choices, `${name}.${i}`, item, way));
    else await table.put(broken(choices, `${name}.${i}`, item, way));
  }
  return count;
}

function broken(choices: Choices, name: string, item: Item, way: Exclude<(typeof WAYS)[number], 'delete'>): Item {
  const { source, target, w, r, edgeSet, ...rest } = item as Record<string, Item[string]>;
  const kept = { source: source!, target: target!, ...(w && { w }), ...(r && { r }) };
  const elements = edgeSet !== undefined && 'SS' in edgeSet ? edgeSet.SS : [];
  if (/^~(degree|total)\//.test(textOf(target)) && choices.chance(`${name}.sum`, 0.5)) {
    return { ...item, 'sum/hours': { N: '7.5' } };
  }
  if (/^~(degree|total)\//.test(textOf(target)))
    return { ...item, count: { N: String(choices.pick(`${name}.count`, 5)) } };
  switch (way) {
    case 'bury':
      return { ...kept, expiresAt: { N: '9999999999' } };
    case 'field':
      return textOf(target) === '~view'
        ? { ...item, attributes: { M: { odd: { N: '1' } } } }
        : { ...item, gsi0sk: { S: 'odd' } };
    case 'element': {
      const left = elements.filter((_element, i) => i !== choices.pick(`${name}.element`, elements.length));
      return { ...kept, ...rest, ...(left.length > 0 && { edgeSet: { SS: left } }) };
    }
    case 'extra':
      return { ...item, edgeSet: { SS: [...new Set([...elements, 'MEMBER-USER-other|role=LEAD'])] } };
    case 'mark':
      return { ...item, evicted: { SS: ['MEMBER'] } };
    case 'watermark':
      return { ...item, w: { S: WATERMARKS[choices.pick(`${name}.watermark`, WATERMARKS.length)]! } };
    case 'expiry':
      return { ...item, expiresAt: { N: '9999999999' } };
    case 'ghost':
      return {
        ...kept,
        target: { S: GHOSTS[choices.pick(`${name}.ghost`, GHOSTS.length)]! },
        gsi0pk: { S: 'MEMBER-USER-ghost' },
        gsi0sk: { S: 'g' },
      };
    case 'unknown':
      return { ...kept, target: { S: '~nothing' } };
    case 'copy':
      return { ...item, copies: COPIES[choices.pick(`${name}.copy`, COPIES.length)]! };
    case 'reverse':
      if (choices.chance(`${name}.entry`, 0.5)) {
        const counted = { counted: { S: '~total/WORK' }, ledger: { M: { 'sum/hours': { N: '3' } } } };
        return { ...kept, target: { S: '~in/WORK-GOAL-ghost' }, ...counted, child: { S: 'GOAL-ghost' } };
      }
      return { ...kept, target: { S: '~rev/MEMBER-GOAL-ghost' }, child: { S: 'GOAL-ghost' } };
    case 'stuckSource':
      return { ...kept, source: { S: 'GOAL-1' }, target: { S: '~more/#source/MEMBER' }, after: { S: 'MEMBER-USER-1' } };
    case 'stuck':
      return { ...kept, source: { S: 'USER-1' }, target: { S: '~more/MEMBER' }, after: { S: '~rev/MEMBER-GOAL-1' } };
  }
}

/** Index items that no base item wants, and views of parts: of an edge, of an edge in an order by name, of a node among its edges. */
const GHOSTS = [
  '~ix/MEMBER-USER-ghost',
  '~ix/#byDate/MEMBER-USER-ghost',
  '~ix/#includeTarget/GONE',
  '~ix/#byTitle/MEMBER-USER-ghost',
  '~view/GONE',
  '~ix/#GONE/status',
  '~ix/#STATE/gone',
] as const;

/** Copies under an edge that may be there, under none, and what is no map of them. */
const COPIES: readonly Item[string][] = [
  { M: { 'MEMBER-USER-1': { M: { name: { S: 'odd' } } } } },
  { M: { 'MEMBER-USER-gone': { M: {} } } },
  { M: { 'MEMBER-USER-1': { S: 'odd' } } },
  { S: 'odd' },
];

/** Not a watermark at all; one of a stream that the table has not got yet. */
const WATERMARKS = ['soon', `2036-01-01T00:00:00.000/${'9'.repeat(40)}`] as const;
