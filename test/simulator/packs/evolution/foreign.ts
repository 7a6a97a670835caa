import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { Random } from '../../kernel/random.ts';
import { keysOf } from './owners.ts';
import type { World } from './world.ts';
import { storedRegistry, wrongItems } from './wrong-items.ts';

/** Writes of derived items by somebody who should not: only an observer, or a check, finds them. */

/** So far behind the last id is one that is never given out. */
const BEYOND = 1_000;

/** Writes an item that no base item asks for: of a generation that is ready, is built, is retired, or that nobody knows. No index has it. */
export function plantStray(world: World, random: Random): void {
  const registry = storedRegistry(world);
  if (registry === undefined) return;
  const names = [...registry.projections.keys()];
  // A model whose lists are all native has views alone.
  if (names.length === 0) return;
  const name = random.oneOf(names as [string]);
  const { next, generations } = registry.projections.get(name)!;
  const others = [
    { id: next - 1, state: 'retired' },
    { id: next + BEYOND, state: 'unknown' },
  ];
  const { id, state } = random.oneOf([...generations, ...generations, ...others] as unknown as [(typeof others)[0]]);
  // A total without an edge is what a check takes for one that has gone wrong.
  const keys = keysOf(name, id).filter(({ target }) => !/^~(degree|total)\//.test(target));
  if (keys.length === 0) return;
  const key = random.oneOf(keys as [(typeof keys)[0]]);
  const of = { source: { S: key.source }, target: { S: key.target } };
  world.log(`a stray: ${key.source} ${key.target}, ${state}`);
  world.count(`observed: strays of what is ${state}`);
  if (world.table.current(key) === undefined) {
    world.table.write(key, { ...of, r: { N: '1' }, value: { S: 'planted' } });
  }
}

const DAMAGES = ['delete', 'attributes', 'sort', 'count', 'element', 'counted'] as const;

/** Damages some items, and gives how many items are wrong then. */
export function damageReady(world: World, random: Random): number {
  const registry = storedRegistry(world);
  if (registry === undefined) return 0;
  const before = wrongItems(world, registry).length;
  const items = [...world.table.items()].filter(({ key }) => /^~(ix|view|in|rev|total|degree)/.test(key.target));
  for (let i = 1 + random.below(3); i > 0 && items.length > 0; i--) {
    const { key, item } = random.oneOf(items as [(typeof items)[0]]);
    world.log(`damage of ${key.source} ${key.target}`);
    world.table.write(key, damaged(item, random));
  }
  return wrongItems(world, registry).length - before;
}

/** Another item; undefined: it is deleted. */
function damaged(item: Item, random: Random): Item | undefined {
  const r = { N: String(Number((item['r'] as { N: string } | undefined)?.N ?? 0) + 1) };
  switch (random.oneOf(DAMAGES)) {
    case 'attributes':
      return { ...item, r, attributes: { M: { name: { S: 'damaged' } } } };
    case 'sort':
      return item['gsi0sk'] === undefined ? undefined : { ...item, r, gsi0sk: { S: 'damaged\u0000' } };
    case 'count':
      return item['count'] === undefined ? undefined : { ...item, r, count: { N: '77' } };
    case 'element':
      return item['edgeSet'] === undefined ? undefined : { ...item, r, edgeSet: { SS: ['AB-B-9|role=LEAD'] } };
    case 'counted': {
      const { counted: _, ledger: _ledger, ...rest } = item;
      return { ...rest, r };
    }
    default:
      return undefined;
  }
}
