import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { textOf } from '../../kernel/values.ts';
import { plainKey, targetOf } from './keys.ts';
import { countedTypes, isJoined, MARK, type ModelOptions } from './models.ts';

/**
 * What should be derived from base items, computed straight from the options of the small models. It shares no code
 * with the planner, not even keys and encodings: a mistake there would hide itself.
 */

/** What a partition's derived items should hold. */
export interface ExpectedPartition {
  /** The view's elements. */
  elements: Set<string>;
  /** The view's attributes; undefined where the node is absent. */
  attributes?: Item;
  /** The index items' fields, by sort key. */
  indexItems: Map<string, Item>;
  /** What edges of the set copy of the nodes that they enter, by the edge's sort key. */
  copies: Map<string, Item>;
  /** How many edges it has of each type that is counted. */
  counted: Map<string, number>;
  /** The numbers of counts with sums and groups, without zeros, by sort key. */
  totals: Map<string, Map<string, number>>;
}

/** The derived state of base items, by partition. */
export function expectedPartitions(options: ModelOptions, baseItems: Iterable<Item>): Map<string, ExpectedPartition> {
  const partitions = new Map<string, ExpectedPartition>();
  const partitionOf = (source: string): ExpectedPartition => {
    let partition = partitions.get(source);
    if (partition === undefined) {
      partition = {
        elements: new Set(),
        indexItems: new Map(),
        copies: new Map(),
        counted: new Map(),
        totals: new Map(),
      };
      partitions.set(source, partition);
    }
    return partition;
  };
  const items = [...baseItems].filter((item) => !isDeleted(options, item));
  const nodes = new Map(items.filter(isNode).map((item) => [textOf(item['source']), item]));
  const states = new Map(items.filter(isState).map((item) => [textOf(item['source']), item]));
  for (const item of items) {
    const source = textOf(item['source']);
    const target = plainKey(options, item) ?? '';
    const partition = partitionOf(source);
    if (source === target) expectNode(options, partition, source, item);
    else if (target === 'STATE') expectState(options, partition, source, item);
    else if (target.startsWith('MEMBER-USER-')) expectMember(options, partition, target, item, nodes.get(source));
    else if (target.startsWith('LINK-USER-')) expectLink(options, partition, target, item, nodes.get(source));
    else if (options.peer !== 'none' && target.startsWith('PEER-GOAL-')) partition.elements.add(target);
    if (options.parts === 'ordering' && target.startsWith('MEMBER-USER-')) {
      expectByStatus(options, partition, item, nodes.get(source), states.get(source));
    }
    if (options.copies !== 'none' && target.startsWith('MEMBER-USER-')) {
      const user = target.slice('MEMBER-'.length);
      partitionOf(user).indexItems.set(`~rev/MEMBER-${source}`, { child: { S: source } });
      const node = nodes.get(user);
      if (node !== undefined) partition.copies.set(target, node['name'] === undefined ? {} : { name: node['name'] });
    }
    if (options.peer === 'copied' && target.startsWith('PEER-GOAL-')) {
      const goal = target.slice('PEER-'.length);
      partitionOf(goal).indexItems.set(`~rev/PEER-${source}`, { child: { S: source } });
      const node = nodes.get(goal);
      if (node !== undefined) partition.copies.set(target, titleOf(node));
    }
    if (options.totals !== 'none' && target.startsWith('WORK-USER-')) {
      expectWork(options, partition, partitionOf(target.slice('WORK-'.length)), item);
    }
    const type = countedTypes(options).find((name) => new RegExp(`^${name}-(USER|GOAL)-`).test(target));
    const isEdge = target.startsWith('PEER-GOAL-') || /^(MEMBER|LINK)-USER-/.test(target);
    if (type !== undefined && isEdge) {
      partition.counted.set(type, (partition.counted.get(type) ?? 0) + 1);
      const sortKey = `~ix/${textOf(item['target'])}`;
      const indexItem = partition.indexItems.get(sortKey);
      partition.indexItems.set(sortKey, { ...indexItem, counted: { S: type } });
    }
  }
  return partitions;
}

/** Whether an image has something that cannot be derived, so that its record belongs in quarantine. */
export function isPoison(options: ModelOptions, image: Item): boolean {
  if (isDeleted(options, image)) {
    // An edge that its type does not join is none of the type, so no attribute deletes it.
    const isMisfit = options.keys === 'plain' && /^(MEMBER|LINK)-GOAL-/.test(textOf(image['target']));
    return isMisfit && image['~gone'] === undefined;
  }
  const source = textOf(image['source']);
  const target = plainKey(options, image);
  if (target === undefined) return true;
  const has = (attribute: string, test: (value: Item[string]) => boolean): boolean =>
    image[attribute] !== undefined && test(image[attribute]);
  if (source.startsWith('USER-')) return false;
  if (source === target) {
    const isUnusable = (value: Item[string]): boolean => !('S' in value) || isTooLong(value.S, source);
    const name = options.search.includes('name') && has('name', isUnusable);
    const tags = options.search.includes('tags') && has('tags', (value) => tagsOf(value) === undefined);
    const title = isPacked(options) && has('title', isUnusable);
    const joinedName = options.joined !== 'none' && has('name', isUnusable);
    return name || title || tags || joinedName;
  }
  if (options.totals !== 'none' && target.startsWith('WORK-')) {
    return !target.startsWith('WORK-USER-') || hoursOf(image) === 'wrong' || kindOf(image) === 'wrong';
  }
  if (target === 'STATE') {
    if (options.parts === 'none') return false;
    return (
      has('tags', (value) => tagsOf(value) === undefined) ||
      has('status', (value) => !('S' in value) || isTooLong(value.S, source))
    );
  }
  if (target.startsWith('MEMBER-USER-')) {
    const role = options.inbound !== 'none' && has('role', (value) => RANKS[textOf(value)] === undefined);
    const hasDate = (options.inbound === 'rank-date' && !isJoined(options, 'MEMBER')) || options.named === 'date';
    const date = hasDate && has('date', (value) => !/^\d/.test(textOf(value)));
    return role || date;
  }
  const usesSince = options.link === 'unlisted' || isJoined(options, 'LINK');
  if (target.startsWith('LINK-USER-')) return usesSince && has('since', (value) => !('S' in value));
  return target.startsWith('MEMBER-') || target.startsWith('LINK-');
}

/** Whether an item counts as deleted. A goal's part has nothing to say but that it is gone. */
function isDeleted({ deletion }: ModelOptions, item: Item): boolean {
  if (item['~gone'] !== undefined) return true;
  const left = isState(item) || deletion === 'none' ? undefined : item['left'];
  return left !== undefined && !('NULL' in left) && !('BOOL' in left && !left.BOOL);
}

/** Whether an index key of a value would be longer than DynamoDB takes. */
function isTooLong(value: string, source: string): boolean {
  return value.length + 1 + source.length > 1_024;
}

/** The hours of an edge in tenths. */
function hoursOf({ hours }: Item): number | 'wrong' | undefined {
  if (hours === undefined) return undefined;
  if (!('N' in hours)) return 'wrong';
  return Math.abs(Number(hours.N)) < 1e15 ? Math.round(Number(hours.N) * 10) : 'wrong';
}

/** The kind of an edge with the first letter of its type. */
function kindOf({ kind }: Item): string | undefined {
  if (kind === undefined) return undefined;
  return 'S' in kind ? `S${kind.S}` : 'N' in kind ? `N${kind.N}` : 'wrong';
}

/** What an edge with totals adds to the node that it leaves, and to the one that it enters. */
function expectWork({ totals }: ModelOptions, left: ExpectedPartition, entered: ExpectedPartition, item: Item): void {
  const hours = hoursOf(item);
  const kind = kindOf(item);
  const problems = [hours, kind].filter((value) => value === 'wrong').length;
  const ledger: Item = {
    ...(item['hours'] && hours !== 'wrong' && { 'sum/hours': item['hours'] }),
    ...(kind !== undefined && kind !== 'wrong' && { 'by/kind': { S: kind } }),
    ...(problems > 0 && { problems: { N: String(problems) } }),
  };
  const fields = (name: string): Item => ({
    counted: { S: name },
    ...(Object.keys(ledger).length > 0 && { ledger: { M: ledger } }),
  });
  const add = (partition: ExpectedPartition, key: string): void => {
    const total = partition.totals.get(key) ?? new Map<string, number>();
    partition.totals.set(key, total);
    const one = (attribute: string, number: number) => total.set(attribute, (total.get(attribute) ?? 0) + number);
    one('count', 10);
    if (typeof hours === 'number') one('sum/hours', hours);
    if (kind !== undefined && kind !== 'wrong') one(`by/kind/${kind}`, 10);
    if (problems > 0) one('problems', 10 * problems);
  };
  const source = textOf(item['source']);
  if (totals !== 'inbound') {
    left.indexItems.set(`~ix/${textOf(item['target'])}`, fields('WORK'));
    add(left, '~degree/WORK');
  }
  if (totals === 'outgoing') return;
  entered.indexItems.set(`~in/WORK-${source}`, { ...fields('~total/WORK'), child: { S: source } });
  add(entered, '~total/WORK');
}

const RANKS: Record<string, string> = { LEAD: '500-LEAD', TEAM: '300-TEAM' };

function isNode(item: Item): boolean {
  return textOf(item['source']) === textOf(item['target']);
}

function isState(item: Item): boolean {
  return textOf(item['target']) === 'STATE';
}

/** A goal's part: what its view shows, whether the goal is there or not, and what it is found by. */
function expectState({ parts }: ModelOptions, partition: ExpectedPartition, source: string, item: Item): void {
  if (parts === 'none') return;
  const { status } = item;
  partition.indexItems.set('~view/STATE', { attributes: { M: status === undefined ? {} : { status } } });
  const found = usable(status, source);
  if (found !== undefined) {
    partition.indexItems.set('~ix/#STATE/status', {
      gsi0pk: { S: 'GOAL.STATE.status' },
      gsi0sk: { S: `${found}\u0000${source}` },
      value: { S: found },
    });
  }
  for (const tag of tagsOf(item['tags']) ?? []) {
    partition.indexItems.set(`~ix/#STATE/tags/${tag}`, {
      gsi0pk: { S: `GOAL.STATE.tags#${shard(tag)}` },
      gsi0sk: { S: `${tag}\u0000${source}` },
      value: { S: tag },
    });
  }
}

/** A MEMBER in the order by the status of its goal, which has none where the goal itself is not there. */
function expectByStatus(
  options: ModelOptions,
  partition: ExpectedPartition,
  item: Item,
  node: Item | undefined,
  state: Item | undefined,
): void {
  const { source, target } = { source: textOf(item['source']), target: textOf(item['target']) };
  const status = node === undefined ? undefined : usable(state?.['status'], source);
  if (status === undefined) return;
  const role = item['role'];
  const ofEdge: Item = role === undefined ? {} : { role };
  const attributes = isJoined(options, 'MEMBER')
    ? { ...ofEdge, ...titleOf(node!) }
    : options.inbound === 'rank-date'
      ? ofEdge
      : undefined;
  partition.indexItems.set(`~ix/#byStatus/${target}`, {
    gsi0pk: { S: `byStatus/${target}` },
    gsi0sk: { S: `${status}\u0001${role === undefined ? '' : `${textOf(role)}\u0001`}\u0000${source}` },
    ...(attributes !== undefined && { attributes: { M: attributes } }),
  });
}

function expectNode(options: ModelOptions, partition: ExpectedPartition, source: string, item: Item): void {
  const { source: _source, target: _target, ...all } = item;
  if (source.startsWith('USER-')) {
    partition.attributes = all;
    return;
  }
  partition.attributes = options.view === 'ALL' ? all : options.view === 'title' ? titleOf(item) : {};
  if (options.search.includes('name')) {
    const name = usable(item['name'], source);
    const title = isPacked(options) ? usable(item['title'], source) : undefined;
    const found = {
      ...(name !== undefined && {
        gsi0pk: { S: 'GOAL.name' },
        gsi0sk: { S: `${name}\u0000${source}` },
        value: { S: name },
      }),
      // The item has the name of the first search, each partition that of its own.
      ...(title !== undefined && {
        gsi1pk: { S: `GOAL.title#${shard(title, 2n)}` },
        gsi1sk: { S: `${title}\u0000${source}` },
        gsi1value: { S: title },
      }),
    };
    if (Object.keys(found).length > 0)
      partition.indexItems.set('~ix/name', { ...found, attributes: { M: titleOf(item) } });
  }
  if (options.owner === 'included') expectTargetItem(options, partition, source);
  if (!options.search.includes('tags')) return;
  for (const tag of tagsOf(item['tags']) ?? []) {
    partition.indexItems.set(`~ix/tags/${tag}`, {
      gsi0pk: { S: `GOAL.tags#${shard(tag)}` },
      gsi0sk: { S: `${tag}\u0000${source}` },
      value: { S: tag },
    });
  }
}

function isPacked({ search, packed }: ModelOptions): boolean {
  return search.includes('name') && packed === 'title';
}

/** The node behind the PARTs that enter it, with what its view shows: above the keys of all edges. */
function expectTargetItem(options: ModelOptions, partition: ExpectedPartition, source: string): void {
  const item = (indexPartition: string): Item => ({
    gsi0pk: { S: indexPartition },
    gsi0sk: { S: '\u{10ffff}\u0002' },
    ...(options.view !== 'KEYS_ONLY' && { attributes: { M: partition.attributes ?? {} } }),
  });
  partition.indexItems.set('~ix/#includeTarget/PART', item(`PART-${source}`));
  if (options.named === 'none') return;
  partition.indexItems.set('~ix/#includeTarget/PART/byDate', item(`byDate/PART-${source}`));
}

/** A text that an index key has room for; undefined for all else. */
function usable(value: Item[string] | undefined, source: string): string | undefined {
  return value !== undefined && 'S' in value && !isTooLong(value.S, source) ? value.S : undefined;
}

/** What the source of an edge adds to a MEMBER's index items: its name sorts one, its title another, the title is in all. */
function expectJoinedMember(
  options: ModelOptions,
  partition: ExpectedPartition,
  item: Item,
  node: Item | undefined,
): void {
  const { source, target } = { source: textOf(item['source']), target: textOf(item['target']) };
  const attributes: Item[string] = { M: { ...(item['role'] && { role: item['role'] }), ...titleOf(node ?? {}) } };
  const rank = options.inbound === 'none' ? undefined : RANKS[textOf(item['role'])];
  const name = usable(node?.['name'], source);
  const index: Item = {
    ...(rank && { gsi0pk: { S: target }, gsi0sk: { S: `${rank}\u0000${source}` } }),
    ...(name !== undefined && { gsi1pk: { S: target }, gsi1sk: { S: `${name}\u0000${source}` } }),
  };
  if (Object.keys(index).length > 0) partition.indexItems.set(`~ix/${target}`, { ...index, attributes });
  const byDate = partition.indexItems.get(`~ix/#byDate/${target}`);
  if (byDate !== undefined) partition.indexItems.set(`~ix/#byDate/${target}`, { ...byDate, attributes });
  const title = usable(node?.['title'], source);
  if (title === undefined) return;
  const role = item['role'] === undefined ? '' : `${textOf(item['role'])}\u0001`;
  partition.indexItems.set(`~ix/#byTitle/${target}`, {
    gsi0pk: { S: `byTitle/${target}` },
    gsi0sk: { S: `${title}\u0001${role}\u0000${source}` },
    attributes,
  });
}

function expectMember(
  options: ModelOptions,
  partition: ExpectedPartition,
  plain: string,
  item: Item,
  node: Item | undefined,
): void {
  const { source, target } = { source: textOf(item['source']), target: textOf(item['target']) };
  const role = item['role'] && textOf(item['role']);
  const labels = {
    none: [],
    role: [role && `role=${role}`],
    computed: [role && `is=${role}`, role === 'LEAD' && `mark=${MARK}`],
  }[options.labels];
  partition.elements.add([edgeInSet(plain, target), ...labels.filter(Boolean)].join('|'));
  expectNamed(options, partition, source, target, item);
  if (isJoined(options, 'MEMBER')) {
    expectJoinedMember(options, partition, item, node);
    return;
  }
  if (options.inbound === 'none') return;
  const index: Item = {};
  const rank = role && RANKS[role];
  if (rank) {
    index['gsi0pk'] = { S: target };
    index['gsi0sk'] = { S: `${rank}\u0000${source}` };
  }
  const date = options.inbound === 'rank-date' ? item['date'] : undefined;
  if (date !== undefined && /^\d/.test(textOf(date))) {
    index['gsi1pk'] = { S: target };
    index['gsi1sk'] = { S: `${textOf(date)}T00:00:00\u0000${source}` };
  }
  if (Object.keys(index).length === 0) return;
  if (options.inbound === 'rank-date') index['attributes'] = { M: role ? { role: { S: role } } : {} };
  partition.indexItems.set(`~ix/${target}`, index);
}

/** The index item that the order by date has for itself. */
function expectNamed(options: ModelOptions, partition: ExpectedPartition, source: string, target: string, item: Item) {
  const date = item['date'] && textOf(item['date']);
  if (options.named === 'none' || date === undefined || !/^\d/.test(date)) return;
  const role = item['role'];
  partition.indexItems.set(`~ix/#byDate/${target}`, {
    gsi0pk: { S: `byDate/${target}` },
    gsi0sk: { S: `${date}T00:00:00\u0000${source}` },
    ...(options.inbound === 'rank-date' && { attributes: { M: role === undefined ? {} : { role } } }),
  });
}

function expectLink(
  options: ModelOptions,
  partition: ExpectedPartition,
  plain: string,
  item: Item,
  node: Item | undefined,
): void {
  const { source, target } = { source: textOf(item['source']), target: textOf(item['target']) };
  if (options.link === 'listed') partition.elements.add(edgeInSet(plain, target));
  if (item['since'] === undefined || !('S' in item['since'])) return;
  const { S: since } = item['since'];
  const title = node?.['title'];
  if (isJoined(options, 'LINK') && title === undefined) return;
  const within = isJoined(options, 'LINK') ? `${target}#${textOf(title)}` : target;
  if (options.link === 'unlisted') {
    partition.indexItems.set(`~ix/${target}`, { gsi0pk: { S: within }, gsi0sk: { S: `${since}\u0000${source}` } });
  }
  const name = usable(node?.['name'], source);
  if (!isJoined(options, 'LINK') || (node?.['name'] !== undefined && name === undefined)) return;
  partition.indexItems.set(`~ix/#byName/${target}`, {
    gsi0pk: { S: `byName/${within}` },
    gsi0sk: { S: `${since}\u0001${name === undefined ? '' : `${name}\u0001`}\u0000${source}` },
  });
}

/** An element without its labels: its edge, and where that is hashed the target. */
function edgeInSet(plain: string, stored: string): string {
  const escaped = (key: string): string => key.replaceAll('%', '%25').replaceAll('|', '%7C');
  return stored === plain ? escaped(plain) : `${stored}|target=${escaped(targetOf(plain))}`;
}

function titleOf(item: Item): Item {
  return item['title'] === undefined ? {} : { title: item['title'] };
}

/** The tags of a list or set of texts; undefined where it is something else. */
function tagsOf(value: Item[string] | undefined): string[] | undefined {
  if (value === undefined) return [];
  if ('SS' in value) return value.SS;
  if (!('L' in value)) return undefined;
  return value.L.every((entry) => 'S' in entry) ? value.L.map(textOf) : undefined;
}

/** FNV-1a over one-byte characters, modulo the shards, from 1 on. */
function shard(ascii: string, shards = 200n): number {
  let hash = 2166136261n;
  for (const character of ascii) hash = ((hash ^ BigInt(character.charCodeAt(0))) * 16777619n) & 0xffffffffn;
  return Number(hash % shards) + 1;
}
