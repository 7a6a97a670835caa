import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { Random } from '../../kernel/random.ts';
import type { Table } from '../../kernel/table.ts';

/** A derived item that was made wrong by hand. */
export interface Damage {
  source: string;
  target: string;
  what: string;
}

/**
 * Makes some derived items wrong that have to do with totals or parts: one in a partition, since a total is judged by the entries that
 * are there.
 */
export function damageAll(table: Table, dice: Random): Damage[] {
  const damages: Damage[] = [];
  let items = [...table.items()]
    .map(({ item }) => item)
    .filter((item) => isVictim(table.keyOf(item).target) && item[table.names.ttl] === undefined);
  for (let i = dice.between(1, 3); i > 0 && items.length > 0; i -= 1) {
    const item = dice.pick(items);
    const { source, target } = table.keyOf(item);
    items = items.filter((other) => table.keyOf(other).source !== source);
    const damaged = damage(item, target, dice);
    if (damaged === undefined) continue;
    table.write({ source, target }, damaged.item);
    damages.push({ source, target, what: damaged.what });
  }
  return damages;
}

function isVictim(target: string): boolean {
  return ['~total/', '~degree/', '~in/', '~view/'].some((start) => target.startsWith(start));
}

function damage(item: Item, target: string, dice: Random): { item: Item | undefined; what: string } | undefined {
  const rest = { ...item };
  const ways: { item: Item | undefined; what: string }[] = [];
  if (target.startsWith('~view/')) {
    ways.push({
      item: { ...rest, attributes: { M: { status: { S: 'wrong' } } } },
      what: 'a part shows another status',
    });
    ways.push({ item: undefined, what: 'the view of a part is gone' });
  } else if (target.startsWith('~in/')) {
    ways.push({ item: undefined, what: 'an entry is gone' });
    const { ledger, ...without } = item;
    ways.push({
      item: { ...without, ledger: { M: { 'sum/hours': { N: '7777' } } } },
      what: 'an entry has other values',
    });
  } else {
    const { count } = item;
    if (count !== undefined && 'N' in count)
      ways.push({ item: { ...rest, count: { N: String(Number(count.N) + 1) } }, what: 'a count is one too high' });
    for (const name of Object.keys(item).filter((key) => /^(sum|by)\//.test(key)))
      ways.push({ item: { ...rest, [name]: { N: '4242' } }, what: `${name} is another number` });
    if (count !== undefined && 'N' in count && count.N !== '0') ways.push({ item: undefined, what: 'a count is gone' });
  }
  return ways.length === 0 ? undefined : dice.pick(ways);
}
