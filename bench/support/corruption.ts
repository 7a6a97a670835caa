import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { Store } from '../../src/core/store-port.ts';
import { derivedItems } from './derived.ts';
import { edgeImage, goalImage, type Item } from './images.ts';
import { ROLE_NAMES } from './models.ts';

/** Returns goals from the number `first` on, with three members each, and the derived items. */
export function projectedGoals(graph: CompiledModel, goals: number, first = 0): Item[] {
  const bases: Item[] = [];
  for (let g = first; g < first + goals; g++) {
    const source = goalOf(g);
    bases.push(goalImage({ source, version: 1, status: 'open', dueDate: '2026-05-01' }));
    for (let member = 0; member < 3; member++) {
      const role = ROLE_NAMES[member]!;
      bases.push(edgeImage({ source, target: `USER-U${g + member}`, version: 1, role, date: '2026-03-01' }));
    }
  }
  // Every target exists. The check looks up missing targets, which a bare scan doesn't do.
  for (let user = first; user < first + goals + 2; user++) {
    const id = `USER-U${user}`;
    bases.push({ source: { S: id }, target: { S: id }, name: { S: `user ${user}` } });
  }
  return [...bases, ...derivedItems(graph, bases)];
}

export const KINDS = [
  'element missing or extra',
  'wrong label',
  'wrong shard',
  'stale value',
  'ghost index item',
  'resurrected tombstone',
  'wrong rank',
  'missing view',
  'wrong mark of eviction',
  'unknown derived item',
] as const;

export function goalOf(number: number): string {
  return `GOAL-G${number}`;
}

/** The goal's number selects the kind of damage. Returns the sort key. */
export async function corrupt(store: Pick<Store, 'get' | 'put' | 'delete'>, goal: number): Promise<string> {
  const source = goalOf(goal);
  const change = async (target: string, make: (item: Item) => Item): Promise<string> => {
    const { item } = await store.get({ source, target }, { consistent: true });
    await store.put(make((item ?? { source: { S: source }, target: { S: target } }) as Item));
    return target;
  };
  const elements = (item: Item): string[] =>
    item['edgeSet'] !== undefined && 'SS' in item['edgeSet'] ? item['edgeSet'].SS : [];
  const keys = { gsi0pk: { S: 'GOALMEMBERSHIP-USER-X' }, gsi0sk: { S: `500-LEAD\u0000${source}` } };
  switch (KINDS[goal % KINDS.length]!) {
    case 'element missing or extra':
      return change('~view', (item) => ({
        ...item,
        edgeSet: {
          SS:
            Math.floor(goal / KINDS.length) % 2 === 0
              ? elements(item).slice(1)
              : [...elements(item), 'GOALMEMBERSHIP-USER-X|memberRole=LEAD'],
        },
      }));
    case 'wrong label':
      return change('~view', (item) => ({
        ...item,
        edgeSet: { SS: elements(item).map((element) => element.replace('=LEAD', '=BOSS')) },
      }));
    case 'wrong shard':
      return change('~ix/status', (item) => ({ ...item, gsi0pk: { S: 'GOAL.status#0' } }));
    case 'stale value':
      return change('~ix/dueDate', (item) => ({ ...item, value: { S: '2020-01-01' } }));
    case 'ghost index item':
      return change('~ix/GOALMEMBERSHIP-USER-X', (item) => ({ ...item, ...keys, r: { N: '1' } }));
    case 'resurrected tombstone':
      return change('~ix/GOALMEMBERSHIP-USER-Y', (item) => ({ ...item, ...keys, r: { N: '7' } }));
    case 'wrong rank':
      return change(`~ix/GOALMEMBERSHIP-USER-U${goal}`, (item) => ({
        ...item,
        gsi0sk: { S: `100-NONE\u0000${source}` },
      }));
    case 'missing view':
      await store.delete({ source, target: '~view' });
      return '~view';
    case 'wrong mark of eviction':
      return change('~view', ({ edgeSet: _, ...item }) => ({ ...item, evicted: { SS: ['GOALMEMBERSHIP'] } }));
    case 'unknown derived item':
      return change('~odd', (item) => ({ ...item, anything: { S: 'x' } }));
  }
}
