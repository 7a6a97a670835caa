import { TARGET_ID } from '../../items/hashed-key.ts';
import type {
  CompiledModel,
  EdgeModel,
  NodeModel,
  OrderPart,
  SearchModel,
  TableNames,
  TotalSettings,
} from '../compiled.ts';
import { type KnownFields, knownFields, type ValueForm } from '../known-fields.ts';
import type { NativeType } from '../native-indexes.ts';
import { lineOfSearch } from '../options/option-tables.ts';
import type { Projection } from '../options/settings.ts';

export interface AttributeOwner {
  /** The name of the node type, part or edge type, such as `GOAL` or `GOAL.STATE`. */
  name: string;
  path: string;
  known: KnownFields | undefined;
}

export interface TakenValues {
  /** Part of a message, such as `a sum takes numbers`. */
  text: string;
  takes(form: ValueForm): boolean;
  remedy(form: ValueForm): string;
  /** The DynamoDB type of the values; `neither` if it can't be a key's; undefined if several are allowed. */
  stored?: NativeType | 'neither';
}

export interface AttributeUse {
  path: string;
  attribute: string;
  /** At least one owner must have the attribute. */
  owners: readonly AttributeOwner[];
  taken?: TakenValues | undefined;
}

export type NamingModel = Pick<CompiledModel, 'nodes' | 'edges'>;

export class AttributeOwners {
  private readonly byName = new Map<string, AttributeOwner>();

  constructor({ nodes, edges }: NamingModel) {
    const add = (path: string, name: string, { fields }: Pick<NodeModel, 'fields'>): unknown =>
      this.byName.set(path, { name, path: `${path}.fields`, known: knownFields(fields) });
    for (const node of nodes.values()) {
      add(`nodes.${node.type}`, node.type, node);
      for (const part of node.parts.values()) add(pathOfPart(node.type, part.name), `${node.type}.${part.name}`, part);
    }
    for (const edge of edges.values()) add(`edges.${edge.type}`, edge.type, edge);
  }

  all(): readonly AttributeOwner[] {
    return [...this.byName.values()];
  }

  node(type: string, part?: string): readonly AttributeOwner[] {
    const owner = this.byName.get(part === undefined ? `nodes.${type}` : pathOfPart(type, part));
    return owner === undefined ? [] : [owner];
  }

  edge(type: string): readonly AttributeOwner[] {
    return [this.byName.get(`edges.${type}`)!];
  }
}

function pathOfPart(type: string, part: string): string {
  return `nodes.${type}.parts.${part}`;
}

export function attributeUses({ nodes, edges }: NamingModel, owners: AttributeOwners): AttributeUse[] {
  return [
    ...[...nodes.values()].flatMap((node) => usesOfNode(node, owners)),
    ...[...edges.values()].flatMap((edge) => usesOfEdge(edge, owners)),
  ].filter(({ attribute }) => attribute !== '');
}

export function ownAttributes(
  { ttl }: TableNames,
  { edges }: NamingModel,
): { attribute: string; stored: NativeType; of: string }[] {
  const isHashed = [...edges.values()].some(({ keys }) => keys === 'hashed');
  return [
    { attribute: ttl, stored: 'N', of: 'the TTL of the table' },
    ...(isHashed ? [{ attribute: TARGET_ID, stored: 'S' as const, of: 'each edge with a hashed key' }] : []),
  ];
}

function usesOfNode(node: NodeModel, all: AttributeOwners): AttributeUse[] {
  const path = `nodes.${node.type}`;
  const owners = all.node(node.type);
  const { versionAttribute, deletedWhen = '', expires = '' } = node;
  return [
    ...[...node.parts.values()].flatMap(({ name, view }) =>
      listed(`${path}.parts.${name}.view`, all.node(node.type, name), view?.view),
    ),
    ...listed(`${path}.view`, owners, node.view),
    ...[...node.maxEntries.keys()].map((attribute) => ({
      path: `${path}.maxEntries.${attribute}`,
      owners,
      attribute,
      taken: ENTRIES,
    })),
    ...[...node.searches.values()].flatMap((search) => usesOfSearch(search, all.node(node.type, search.part))),
    { path: `${path}.deletedWhen`, owners, attribute: deletedWhen },
    { path: `${path}.expires`, owners, attribute: expires, taken: TIME },
    { path: `${path}.versionAttribute`, owners, attribute: versionAttribute ?? '', taken: VERSION },
  ];
}

function usesOfSearch(search: SearchModel, owners: readonly AttributeOwner[]): AttributeUse[] {
  const path = lineOfSearch(search);
  const { order, multiValue, partition, project } = search;
  const ofOrder =
    order.kind === 'path'
      ? order.attributes.map((attribute) => ({ path: `${path}.path`, owners, attribute, taken: SEGMENT }))
      : order.kind === 'derive'
        ? []
        : [{ path, owners, attribute: order.attribute, taken: multiValue ? eachOf(order) : searchOrder(order) }];
  return [
    ...ofOrder,
    ...listed(`${path}.project`, owners, project),
    { path: `${path}.partition`, owners, attribute: partition ?? '', taken: PARTITION },
  ];
}

function usesOfEdge(edge: EdgeModel, all: AttributeOwners): AttributeUse[] {
  const path = `edges.${edge.type}`;
  const owners = all.edge(edge.type);
  const { labels = [], count, incoming, deletedWhen = '', expires = '', copy = [], inbound } = edge;
  const targets = [...edge.to].flatMap((type) => all.node(type));
  return [
    ...labels.flatMap(({ name, from }) =>
      from.kind === 'attribute'
        ? [{ path: `${path}.edgeSet.${name}`, owners, attribute: from.attribute, taken: LABEL }]
        : [],
    ),
    ...usesOfTotals(`${path}.outgoing`, owners, count?.totals),
    ...usesOfTotals(`${path}.inbound`, owners, incoming?.totals),
    { path: `${path}.deletedWhen`, owners, attribute: deletedWhen },
    { path: `${path}.expires`, owners, attribute: expires, taken: TIME },
    ...copy.map((attribute) => ({ path: `${path}.copy`, owners: targets, attribute })),
    ...(inbound === undefined ? [] : usesOfInbound(path, edge, owners, all)),
  ];
}

function usesOfInbound(
  edgePath: string,
  { from, inbound }: EdgeModel,
  owners: readonly AttributeOwner[],
  all: AttributeOwners,
): AttributeUse[] {
  const path = `${edgePath}.inbound`;
  const { orders, project, projectSource = [], partition } = inbound!;
  const ofSource = (at: string, name: string, taken?: TakenValues): AttributeUse[] =>
    usesOfSource(at, from, name, all, taken);
  const ofOrders = [...orders.values()].flatMap(({ name, order }) => {
    const parts = order.kind === 'parts' ? order.parts : [order];
    return parts.flatMap((part, i): AttributeUse[] => {
      const at = order.kind === 'parts' ? `${path}.orders.${name}.${i}` : `${path}.orders.${name}`;
      if (part.kind === 'derive') return [];
      if (part.kind === 'source') return ofSource(at, part.order.attribute, sourceOrder(part.order));
      return [{ path: at, owners, attribute: part.attribute, taken: edgeOrder(part) }];
    });
  });
  return [
    ...ofOrders,
    ...listed(`${path}.project`, owners, project),
    ...projectSource.flatMap((name) => ofSource(`${path}.projectSource`, name)),
    ...(partition === undefined
      ? []
      : partition.of === 'edge'
        ? [{ path: `${path}.partition`, owners, attribute: partition.attribute, taken: PARTITION }]
        : ofSource(`${path}.partition`, partition.attribute, PARTITION)),
  ];
}

function usesOfSource(
  path: string,
  from: ReadonlySet<string>,
  name: string,
  all: AttributeOwners,
  taken?: TakenValues,
): AttributeUse[] {
  const [part, ...rest] = name.split('.');
  const ofPart = rest.length === 0 ? [] : [...from].flatMap((type) => all.node(type, part));
  if (ofPart.length > 0) return [{ path, owners: ofPart, attribute: rest.join('.'), taken }];
  // `checkSourceParts` reports a part that no source type has.
  if (/^[A-Z][A-Z0-9_]*\./.test(name)) return [];
  return [{ path, owners: [...from].flatMap((type) => all.node(type)), attribute: name, taken }];
}

function usesOfTotals(
  path: string,
  owners: readonly AttributeOwner[],
  totals: TotalSettings | undefined,
): AttributeUse[] {
  return [
    ...(totals?.sums ?? []).map(({ name, attribute }) => ({
      path: `${path}.total.${name}`,
      owners,
      attribute,
      taken: SUM,
    })),
    ...(totals?.groups ?? []).map(({ attribute }) => ({ path: `${path}.groupBy`, owners, attribute, taken: GROUP })),
  ];
}

function listed(path: string, owners: readonly AttributeOwner[], projection: Projection | undefined): AttributeUse[] {
  return projection?.kind === 'LIST' ? projection.attributes.map((attribute) => ({ path, owners, attribute })) : [];
}

const BY_DERIVE = 'make a text of it with derive(...)';

type NamedOrder = Exclude<OrderPart, { kind: 'derive' | 'source' }>;

const isScalar = ({ kind }: ValueForm): boolean => kind === 'text' || kind === 'number' || kind === 'boolean';

const VERSION: TakenValues = {
  text: 'a version is a number that the writer counts up',
  takes: ({ kind }) => kind === 'number',
  remedy: () => 'name an optional number',
  stored: 'N',
};
const TIME: TakenValues = {
  text: 'an end is a number of epoch seconds',
  takes: ({ kind }) => kind === 'number' || kind === 'null',
  remedy: () => 'make it a number in fields',
  stored: 'N',
};
const ENTRIES: TakenValues = {
  text: 'only lists, sets and maps have entries',
  takes: ({ kind }) => kind === 'list' || kind === 'map' || kind === 'null',
  remedy: () => 'leave it out of maxEntries',
  stored: 'neither',
};
const SUM: TakenValues = {
  text: 'a sum takes numbers',
  takes: ({ kind }) => kind === 'number',
  remedy: () => 'make it a number in fields, or count its values with groupBy',
  stored: 'N',
};
const GROUP: TakenValues = {
  text: 'a group takes texts, numbers and booleans',
  takes: isScalar,
  remedy: () => 'name another attribute',
};
const LABEL: TakenValues = {
  text: 'a label of an edge set takes texts, numbers and booleans',
  takes: (form) => isScalar(form) || form.kind === 'null',
  remedy: () => BY_DERIVE,
};
const PARTITION: TakenValues = {
  text: 'a partition takes texts',
  takes: ({ kind }) => kind === 'text',
  remedy: () => 'make it a text in fields',
  stored: 'S',
};
const SEGMENT: TakenValues = { ...PARTITION, text: 'a path takes texts' };

function orderOf(order: NamedOrder, text: string, remedies: Partial<Record<ValueForm['kind'], string>>): TakenValues {
  if (order.kind === 'rank') {
    return {
      text: 'its rank gives that no weight',
      takes: (form) => form.kind === 'text' && (form.text === undefined || order.weights.has(form.text)),
      remedy: ({ kind }) => (kind === 'text' ? 'add it to the rank' : BY_DERIVE),
      stored: 'S',
    };
  }
  const { type } = order;
  const expected = type === 'number' ? 'number' : 'text';
  return {
    text: `${text} ${type === 'number' ? 'numbers' : type === 'date' ? 'ISO 8601 texts' : 'texts'}`,
    takes: ({ kind }) => kind === expected,
    remedy: ({ kind }) => (kind === 'text' ? 'take it as a text, without number' : (remedies[kind] ?? BY_DERIVE)),
    stored: type === 'number' ? 'N' : 'S',
  };
}

function searchOrder(order: NamedOrder): TakenValues {
  return orderOf(order, 'its search takes', { number: "give type: 'number'", list: 'give multiValue: true' });
}

function edgeOrder(order: NamedOrder): TakenValues {
  return orderOf(order, 'its order takes', { number: `order by number('${order.attribute}')` });
}

function sourceOrder(order: NamedOrder): TakenValues {
  return orderOf(order, 'its order takes', { number: `order by number(source('${order.attribute}'))` });
}

function eachOf(order: NamedOrder): TakenValues {
  const ofEntry = orderOf(order, 'multiValue takes a list or set of', { number: "give type: 'number'" });
  const wrongEntry = ({ entries = [] }: ValueForm) => entries.find((entry) => !ofEntry.takes(entry));
  return {
    text: ofEntry.text,
    takes: (form) => form.kind === 'list' && wrongEntry(form) === undefined,
    remedy: (form) => {
      const entry = form.kind === 'list' ? wrongEntry(form) : undefined;
      return entry === undefined ? 'leave out multiValue' : ofEntry.remedy(entry);
    },
    stored: 'neither',
  };
}
