import { type Item, sameItem } from '../../../../src/core/items/attribute-value.ts';
import { basesOfPart, contentOf, viewDifferences } from '../../kernel/stored-parts.ts';
import { mapOf, textOf } from '../../kernel/values.ts';
import { storedKey } from '../projecting/keys.ts';
import { countedTypes, type ModelOptions } from '../projecting/models.ts';
import { type ExpectedPartition, expectedPartitions } from '../projecting/oracle.ts';

/** A part of a derived item that is not what the base items say. */
export interface WrongPart {
  source: string;
  target: string;
  /** The base items that the part is derived from, as `source target`; one source may be `*`, and a target may end with it. */
  bases: string[];
  text: string;
}

/** Finds what is wrong in a table, part by part, by the oracle that shares no code with the planner. */
export function wrongParts(options: ModelOptions, items: readonly Item[]): WrongPart[] {
  const base = items.filter((item) => !textOf(item['target']).startsWith('~'));
  const stored = new Map<string, Item>();
  for (const item of items) {
    if (textOf(item['target']).startsWith('~')) stored.set(`${textOf(item['source'])} ${textOf(item['target'])}`, item);
  }
  const expected = expectedPartitions(options, base);
  const found: WrongPart[] = [];
  for (const [source, right] of expected) {
    compareView(found, source, right, stored.get(`${source} ~view`));
    for (const [target, fields] of right.indexItems) {
      compareFields(found, options, { source, target }, fields, stored.get(`${source} ${target}`));
    }
    for (const [target] of right.totals) {
      const key = { source, target };
      compareSums(found, key, countedNumbers(items, key), stored.get(`${source} ${target}`));
    }
    for (const type of right.counted.keys())
      compareCount(found, items, source, type, stored.get(`${source} ~degree/${type}`));
  }
  const nothing = {
    elements: new Set<string>(),
    indexItems: new Map(),
    copies: new Map(),
    counted: new Map(),
    totals: new Map(),
  };
  for (const item of stored.values()) {
    const [source, target] = [textOf(item['source']), textOf(item['target'])];
    const right = expected.get(source) ?? nothing;
    if (target === '~view') {
      if (!expected.has(source)) compareView(found, source, right, item);
    } else if (target.startsWith('~more/')) {
      if (item['after'] !== undefined) found.push({ source, target, bases: [], text: 'a fan-out is under way' });
    } else if (/^~(?:ix|rev|in|view)\//.test(target)) {
      if (!right.indexItems.has(target)) compareFields(found, options, { source, target }, {}, item);
    } else if (isTotal(target)) {
      if (!right.totals.has(target)) {
        compareSums(found, { source, target }, countedNumbers(items, { source, target }), item);
      }
    } else if (target.startsWith('~degree/')) {
      const type = target.slice('~degree/'.length);
      if (!right.counted.has(type)) compareCount(found, items, source, type, item, countedTypes(options));
    } else if (!target.startsWith('~quarantine/')) {
      found.push({ source, target, bases: [], text: 'no derived item' });
    }
  }
  return found;
}

function compareView(found: WrongPart[], source: string, right: ExpectedPartition, view: Item | undefined): void {
  for (const { kind, edge, text } of viewDifferences(view, right, edgeOf))
    found.push({ source, target: '~view', bases: basesOfPart(kind, source, edge), text });
}

function compareFields(
  found: WrongPart[],
  options: ModelOptions,
  { source, target }: Pick<WrongPart, 'source' | 'target'>,
  right: Item,
  item: Item | undefined,
): void {
  const stored = contentOf(item);
  if (sameItem(stored, right)) return;
  found.push({
    source,
    target,
    bases: basesOf(options, source, target),
    text: `${JSON.stringify(stored)} instead of ${JSON.stringify(right)}`,
  });
}

/** The base items of an index item, a part's view or a reverse item. The item of an edge has its node and the node's part too, since some are joined. */
function basesOf(options: ModelOptions, source: string, target: string): string[] {
  if (target.startsWith('~rev/') || target.startsWith('~in/')) {
    const child = target.slice(target.indexOf('-') + 1);
    const type = target.slice(target.indexOf('/') + 1, target.indexOf('-'));
    return [`${child} ${storedKey(options, `${type}-${source}`)}`];
  }
  if (target === '~view/STATE' || target.startsWith('~ix/#STATE/')) return [`${source} STATE`];
  const edge = /^~ix\/(?:#(?!includeTarget)[^/]+\/)?([A-Z]+-.+)$/.exec(target)?.[1];
  return edge === undefined ? [`${source} ${source}`] : [`${source} ${edge}`, `${source} ${source}`, `${source} STATE`];
}

/** A count is right if it is the number of the live items that it counts, whatever base items ask for: these items are judged by themselves. */
function compareCount(
  found: WrongPart[],
  items: readonly Item[],
  source: string,
  type: string,
  item: Item | undefined,
  counted?: readonly string[],
): void {
  const target = `~degree/${type}`;
  if (counted !== undefined && !counted.includes(type)) {
    found.push({ source, target, bases: [], text: 'no count of the model' });
    return;
  }
  const right = (countedNumbers(items, { source, target }).get('count') ?? 0) / 10;
  const count = item?.['count'] !== undefined && 'N' in item['count'] ? Number(item['count'].N) : 0;
  if (count === right) return;
  found.push({ source, target, bases: [`${source} ~ix/${type}-*`], text: `count ${count} instead of ${right}` });
}

/** The numbers that the items of a count add up to, in tenths. */
function countedNumbers(
  items: readonly Item[],
  { source, target }: Pick<WrongPart, 'source' | 'target'>,
): Map<string, number> {
  const name = target.startsWith('~degree/') ? target.slice('~degree/'.length) : target;
  const prefix = target.startsWith('~degree/') ? `~ix/${name}-` : `~in/${target.slice('~total/'.length)}-`;
  const numbers = new Map<string, number>();
  const add = (attribute: string, tenths: number): void =>
    void numbers.set(attribute, (numbers.get(attribute) ?? 0) + tenths);
  for (const item of items) {
    if (textOf(item['source']) !== source || !textOf(item['target']).startsWith(prefix)) continue;
    if (textOf(item['counted']) !== name) continue;
    add('count', 10);
    for (const [attribute, value] of Object.entries(mapOf(item['ledger']))) {
      if ('S' in value) add(`${attribute}/${value.S}`, 10);
      else if ('N' in value) add(attribute, Math.round(Number(value.N) * 10));
    }
  }
  return numbers;
}

function isTotal(target: string): boolean {
  return target === '~total/WORK' || target === '~degree/WORK';
}

/** Compares the sums of a total with the items that it adds up, in tenths: producers write no others. */
function compareSums(
  found: WrongPart[],
  { source, target }: Pick<WrongPart, 'source' | 'target'>,
  expected: ReadonlyMap<string, number>,
  item: Item = {},
): void {
  const stored = new Map<string, number>();
  for (const [attribute, value] of Object.entries(item)) {
    if (!/^(count|problems|sum\/|by\/)/.test(attribute)) continue;
    const number = 'N' in value ? Math.round(Number(value.N) * 10) : Number.NaN;
    if (number !== 0) stored.set(attribute, number);
  }
  const right = new Map([...expected].filter(([, number]) => number !== 0));
  if (stored.size === right.size && [...right].every(([attribute, number]) => stored.get(attribute) === number)) return;
  const [is, should] = [stored, right].map((numbers) => JSON.stringify(Object.fromEntries(numbers)));
  const bases = [target.startsWith('~degree/') ? `${source} ~ix/WORK-*` : `${source} ~in/WORK-*`];
  found.push({ source, target, bases, text: `${is} instead of ${should}` });
}

function edgeOf(element: string): string {
  return element.split('|')[0]!.replaceAll('%7C', '|').replaceAll('%25', '%');
}
