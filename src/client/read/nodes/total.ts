import { type Item, sameValue, setOwn } from '../../../core/items/attribute-value.ts';
import { COUNT, REVISION } from '../../../core/items/derived-item.ts';
import { parseNodeId, typePrefix } from '../../../core/items/keys.ts';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  groupAttribute,
  OTHER_VALUES,
  PROBLEMS,
  Room,
  storedAmounts,
  sumAttribute,
  withGroupsWithoutRoom,
} from '../../../core/items/ledger.ts';
import { ONE, textOfUnits } from '../../../core/items/units.ts';
import { expectedFields } from '../../../core/kinds/derived.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import type { CountModel, EdgeModel } from '../../../core/model/compiled.ts';
import type { CounterPlaces } from '../../../core/model/projection/places.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { byKey } from '../../../foundation/entries.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import type { CallResult } from '../../call/capacity.ts';
import { type OwnWrite, ownEdgesOf } from '../../session/own-writes.ts';
import { checkedKeyTo, checkSource, edgeTypeFrom, findEdge } from '../request/lookup.ts';
import { readRelevantOwnWrites } from '../request/own.ts';
import { type EveryReadOptions, READ_OPTIONS, type ReadContext } from '../request/read-context.ts';

/** Options of `total`. */
export interface TotalReadOptions extends EveryReadOptions {
  /** Reads the total as the projector last wrote it, at twice the capacity. Default: false. */
  consistent?: boolean | undefined;
  /** Required if nodes of this type have totals of the edge type in both directions. */
  direction?: 'inbound' | 'outgoing' | undefined;
  /** Returns the groups. Set to false for a node with too many values of a group. Default: true. */
  groups?: boolean | undefined;
}

/** The total of a node's edges. Sums are decimal strings. */
export type TotalResult<Sums extends string = string, Groups extends object = Record<string, unknown>> = {
  count: number;
  /** Number of values left out of sums or groups because of their type or size; absent if zero. */
  problems?: number;
  /** Edge counts by group and value. A string that looks like a number or boolean of the same group is quoted. */
  groups: { [Name in GroupName<Groups>]: NumberByValue<Groups extends Record<Name, infer Value> ? Value : never> };
  /** False if writes of the session may be missing, or counted twice. */
  exact?: false;
} & CallResult &
  (string extends Sums ? unknown : { [Name in Sums]: string });

type GroupName<Groups> = Groups extends unknown ? Extract<keyof Groups, string> : never;

type NumberByValue<Value> = [Value] extends [string | number | boolean]
  ? string extends `${Value}`
    ? Record<string, number>
    : { [Text in `${Value}`]?: number }
  : Record<string, number>;

export async function readTotal(
  context: ReadContext,
  id: string,
  edgeType: string,
  options: TotalReadOptions = {},
): Promise<TotalResult> {
  checkOptions('total', options, { consistent: 'boolean', direction: true, groups: 'boolean', ...READ_OPTIONS });
  const { graph, projections, session } = context;
  checkSource(graph, id);
  const edge = findEdge(graph, edgeType);
  const isEntering = edge.to.has(parseNodeId(id)!.type);
  if (options.direction === 'inbound') checkedKeyTo(edge, id);
  else if (options.direction === 'outgoing' || !isEntering) edgeTypeFrom(graph, id, edgeType);
  const direction = directionOf(edge, id, options.direction);
  const isInbound = direction === 'inbound';
  const count: CountModel = isInbound ? edge.incoming! : edge.count!;
  const places = projections.total(edge, direction);
  const edgeKey = sortKeyOfEdge(edge, id);
  const own = await readRelevantOwnWrites(context, (key) =>
    isInbound ? key.target === edgeKey : key.source === id && typePrefix(key.target) === edge.type,
  );
  const writes = isInbound ? await ownEdgesOf(context, edge, edgeKey, own.writes) : own.writes;
  const { amounts, isOfOneMoment } = await amountsWithOwnEdges(context, id, places, writes, options.consistent);
  return {
    ...totalOfAmounts(count, amounts, options.groups ?? true, `${id} ${edgeType}`),
    ...((session?.ownWrites === 'unknown' || !isOfOneMoment) && { exact: false as const }),
  };
}

function directionOf(edge: EdgeModel, id: string, asked: TotalReadOptions['direction']): 'inbound' | 'outgoing' {
  const type = parseNodeId(id)!.type;
  const kept = [
    ...(edge.incoming !== undefined && edge.to.has(type) ? (['inbound'] as const) : []),
    ...(edge.count?.totals !== undefined && edge.from.has(type) ? (['outgoing'] as const) : []),
  ];
  const [direction] = asked === undefined ? kept : kept.filter((one) => one === asked);
  if (direction !== undefined && (asked !== undefined || kept.length === 1)) return direction;
  if (kept.length === 2) {
    const message = `${edge.type} edges both enter and leave ${type} nodes.`;
    throw new EdgeloomError('invalid-argument', message, "Give direction: 'inbound' or 'outgoing'.");
  }
  throw new EdgeloomError(
    'not-declared',
    `The model keeps no ${asked === undefined ? '' : `${asked} `}total of ${edge.type} edges of ${type} nodes.`,
    `Give edges.${edge.type} total or groupBy under inbound or outgoing, then migrate.`,
  );
}

const MOST_LOOKS = 5;

async function amountsWithOwnEdges(
  { projections, store }: ReadContext,
  id: string,
  places: CounterPlaces,
  writes: readonly OwnWrite[],
  consistent: boolean | undefined,
): Promise<{ amounts: Amounts; isOfOneMoment: boolean }> {
  const key = { source: id, target: places.key };
  let total = (await store.get(key, { consistent: consistent || writes.length > 0 })).item;
  let entries: readonly (Item | undefined)[] = [];
  let isOfOneMoment = writes.length === 0;
  for (let look = 1; look <= MOST_LOOKS && !isOfOneMoment; look++) {
    const keys = writes.map((write) => ({ source: id, target: places.itemKey(write) }));
    ({ items: entries } = await store.getMany(keys, { consistent: true }));
    const { item: again } = await store.get(key, { consistent: true });
    // An entry whose share of the total changes is written in one transaction with the total, which gets a new revision.
    isOfOneMoment = sameValue(total?.[REVISION], again?.[REVISION]);
    total = again;
  }
  const amounts = storedAmounts(total);
  if (amounts === undefined) {
    const message = `The total ${places.key} of ${id} holds no numbers.`;
    throw new EdgeloomError('invalid-count', message, 'Repair it: edgeloom check --repair.');
  }
  const changes = writes.map(({ source, target, item }, i) => {
    const derived = derivedOf(projections.model, source, target, item, { item: undefined });
    const expected = expectedFields(derived, places.itemKey({ source, target }));
    return { current: entries[i], expected };
  });
  const room = new Room(total, places.name, changes);
  for (const change of changes) {
    const { current, expected } = change;
    addAmounts(amounts, amountsOf(withGroupsWithoutRoom(expected, room.groupsWithoutRoom(change)), places.name));
    addAmounts(amounts, amountsOf(current, places.name), -1n);
  }
  return { amounts, isOfOneMoment };
}

export function hasEveryGroup({ totals }: CountModel, amounts: Amounts): boolean {
  return (totals?.groups ?? []).every(({ name }) => !amounts.get(`${groupAttribute(name)}/${OTHER_VALUES}`));
}

export function totalOfAmounts(
  { totals }: CountModel,
  amounts: Amounts,
  hasGroups: boolean,
  subject: string,
): TotalResult {
  const numberAt = (attribute: string): number => Number((amounts.get(attribute) ?? 0n) / ONE);
  const groups: Record<string, Record<string, number>> = {};
  for (const { name } of (hasGroups && totals?.groups) || []) {
    if (numberAt(`${groupAttribute(name)}/${OTHER_VALUES}`) > 0) {
      const message = `${subject} has more values of ${name} than a total holds.`;
      throw new EdgeloomError('too-many-groups', message, 'Ask for the sums alone: groups: false.');
    }
    setOwn(groups, name, groupOf(amounts, `${groupAttribute(name)}/`));
  }
  const problems = numberAt(PROBLEMS);
  const sums = Object.fromEntries(
    (totals?.sums ?? []).map(({ name }) => [name, textOfUnits(amounts.get(sumAttribute(name)) ?? 0n)]),
  );
  return { count: numberAt(COUNT), ...(problems > 0 && { problems }), ...sums, groups };
}

function groupOf(amounts: Amounts, prefix: string): Record<string, number> {
  const group: Record<string, number> = {};
  const values = [...amounts].filter(([attribute, units]) => attribute.startsWith(prefix) && units !== 0n);
  // The tags of numbers and booleans sort first, so a string with the same key is quoted.
  for (const [attribute, units] of values.sort(byKey)) {
    let value = attribute.slice(prefix.length + 1);
    while (Object.hasOwn(group, value)) value = JSON.stringify(value);
    setOwn(group, value, Number(units / ONE));
  }
  return group;
}
