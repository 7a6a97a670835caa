import { TARGET_ID } from '../../items/hashed-key.ts';
import type { EdgeModel, NodeModel, OrderPart, SearchModel, TableNames, TotalSettings } from '../compiled.ts';
import { wordsThereAre } from '../options/nearest.ts';
import { lineOfSearch } from '../options/option-tables.ts';
import type { Projection } from '../options/settings.ts';
import { type KnownFields, knownFields, type ValueForm } from './known-fields.ts';
import type { MistakeLog } from './schemas.ts';

/**
 * Compares a model with the validators of its types. An option that names an attribute which `fields` do not have finds nothing, and
 * one that takes other values than `fields` let through would have every write of those refused.
 */

/** A type or a part that has attributes, and what is known of them. */
interface Owner {
  name: string;
  known: KnownFields | undefined;
}

/** The values that an option takes. */
interface Wanted {
  /** The option and its values, for a message: `a sum takes numbers`. */
  text: string;
  takes(form: ValueForm): boolean;
  /** The remedy for a value that it does not take. */
  remedy(form: ValueForm): string;
}

const FORM_NAMES: Readonly<Record<ValueForm['kind'], string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
  list: 'a list or set',
  map: 'an object',
  Date: 'a Date',
};
const BY_DERIVE = 'make a text of it with derive(...)';
const GENERAL_REMEDIES: Partial<Record<ValueForm['kind'], string>> = {
  null: 'make it optional in fields instead of nullable: an item without it is left out',
  Date: 'make it an ISO 8601 text in fields, and take it as a date: no item holds a Date',
};

/** Notes what in a model contradicts the `fields` of its types. */
export function checkAgainstFields(
  nodes: ReadonlyMap<string, NodeModel>,
  edges: ReadonlyMap<string, EdgeModel>,
  table: TableNames,
  mistakes: MistakeLog,
): void {
  const owners = new Map([...nodes].map(([type, { fields }]) => [type, { name: type, known: knownFields(fields) }]));
  const checker = new FieldChecker(nodes, owners, table, mistakes);
  for (const node of nodes.values()) checker.checkNode(node);
  for (const edge of edges.values()) checker.checkEdge(edge);
}

class FieldChecker {
  constructor(
    private readonly nodes: ReadonlyMap<string, NodeModel>,
    private readonly owners: ReadonlyMap<string, Owner>,
    private readonly table: TableNames,
    private readonly mistakes: MistakeLog,
  ) {}

  checkNode(node: NodeModel): void {
    const path = `nodes.${node.type}`;
    const own = [this.owners.get(node.type)!];
    const parts = new Map<string | undefined, Owner[]>([[undefined, own]]);
    for (const { name, fields, view } of node.parts.values()) {
      const owner = { name: `${node.type}.${name}`, known: knownFields(fields) };
      parts.set(name, [owner]);
      this.checkProjection(`${path}.parts.${name}.view`, [owner], view?.view);
      this.checkKeys(`${path}.parts.${name}.fields`, owner, [this.table.partitionKey, this.table.sortKey]);
    }
    this.checkProjection(`${path}.view`, own, node.view);
    this.checkKeys(`${path}.fields`, own[0]!, [this.table.partitionKey, this.table.sortKey]);
    for (const name of node.maxEntries.keys()) this.check(`${path}.maxEntries.${name}`, own, name, ENTRIES);
    for (const search of node.searches.values()) this.checkSearch(search, parts.get(search.part) ?? []);
    this.check(`${path}.deletedWhen`, own, node.deletedWhen ?? '');
    this.check(`${path}.expires`, own, node.expires ?? '', TIME);
    const { versionAttribute } = node;
    if (versionAttribute === undefined) return;
    const versionPath = `${path}.versionAttribute`;
    this.check(versionPath, own, versionAttribute, VERSION);
    if (own[0]!.known?.required.has(versionAttribute) !== true) return;
    const message = `${versionAttribute} is required by its fields, but a new node has no version: make it optional in fields`;
    this.note(versionPath, message);
  }

  checkEdge(edge: EdgeModel): void {
    const path = `edges.${edge.type}`;
    const owner = { name: edge.type, known: knownFields(edge.fields) };
    const own = [owner];
    const hashed = edge.keys === 'hashed' ? [TARGET_ID] : [];
    this.checkKeys(`${path}.fields`, owner, [this.table.partitionKey, this.table.sortKey, ...hashed]);
    for (const { name, from } of edge.labels ?? []) {
      if (from.kind === 'attribute') this.check(`${path}.edgeSet.${name}`, own, from.attribute, LABEL);
    }
    this.checkTotals(`${path}.outgoing`, own, edge.count?.totals);
    this.checkTotals(`${path}.inbound`, own, edge.incoming?.totals);
    this.check(`${path}.deletedWhen`, own, edge.deletedWhen ?? '');
    this.check(`${path}.expires`, own, edge.expires ?? '', TIME);
    const targets = this.ownersOf(edge.to);
    for (const name of edge.copy ?? []) this.check(`${path}.copy`, targets, name);
    if (edge.inbound !== undefined) this.checkInbound(path, edge, own);
  }

  private checkInbound(edgePath: string, { from, inbound }: EdgeModel, own: readonly Owner[]): void {
    const path = `${edgePath}.inbound`;
    const { orders, project, projectSource = [], partition } = inbound!;
    for (const { name, order } of orders.values()) {
      const parts = order.kind === 'parts' ? order.parts : [order];
      for (const [i, part] of parts.entries()) {
        const partPath = order.kind === 'parts' ? `${path}.orders.${name}.${i}` : `${path}.orders.${name}`;
        if (part.kind === 'source')
          this.checkOfSource(partPath, from, part.order.attribute, edgeOrder(part.order, true));
        else if (part.kind !== 'derive') this.check(partPath, own, part.attribute, edgeOrder(part, false));
      }
    }
    this.checkProjection(`${path}.project`, own, project);
    for (const name of projectSource) this.checkOfSource(`${path}.projectSource`, from, name);
    if (partition?.of === 'edge') this.check(`${path}.partition`, own, partition.attribute, PARTITION);
    if (partition?.of === 'source') this.checkOfSource(`${path}.partition`, from, partition.attribute, PARTITION);
  }

  private checkSearch(search: SearchModel, own: readonly Owner[]): void {
    const path = lineOfSearch(search);
    const { order } = search;
    if (order.kind === 'path') {
      for (const name of order.attributes) this.check(`${path}.path`, own, name, SEGMENT);
    } else if (order.kind !== 'derive') {
      this.check(path, own, order.attribute, search.multiValue ? eachOf(order) : searchOrder(order));
    }
    this.checkProjection(`${path}.project`, own, search.project);
    if (search.partition !== undefined) this.check(`${path}.partition`, own, search.partition, PARTITION);
  }

  private checkTotals(path: string, own: readonly Owner[], totals: TotalSettings | undefined): void {
    for (const { name, attribute } of totals?.sums ?? []) this.check(`${path}.total.${name}`, own, attribute, SUM);
    for (const { attribute } of totals?.groups ?? []) this.check(`${path}.groupBy`, own, attribute, GROUP);
  }

  private checkProjection(path: string, own: readonly Owner[], projection: Projection | undefined): void {
    if (projection?.kind !== 'LIST') return;
    for (const name of projection.attributes) this.check(path, own, name);
  }

  /** An attribute of the nodes that an edge leaves, or of a part of theirs: `STATE.status`. */
  private checkOfSource(path: string, from: ReadonlySet<string>, name: string, wanted?: Wanted): void {
    const [part, ...rest] = name.split('.');
    const ofPart = [...from].flatMap((type) => {
      const found = rest.length === 0 ? undefined : this.nodes.get(type)?.parts.get(part!);
      return found === undefined ? [] : [{ name: `${type}.${part}`, known: knownFields(found.fields) }];
    });
    if (ofPart.length > 0) this.check(path, ofPart, rest.join('.'), wanted);
    // A part that no node has is a mistake of its own: see checkSourceParts.
    else if (!/^[A-Z][A-Z0-9_]*\./.test(name)) this.check(path, this.ownersOf(from), name, wanted);
  }

  private ownersOf(types: ReadonlySet<string>): Owner[] {
    return [...types].flatMap((type) => this.owners.get(type) ?? []);
  }

  /** Attributes that the writer gives itself, so that fields which ask for them would refuse every update. */
  private checkKeys(path: string, { known }: Owner, keys: readonly string[]): void {
    for (const name of keys.filter((key) => known?.required.has(key))) {
      this.note(path, `ask for ${name}, which the writer sets itself, and updates do not have: leave it out of fields`);
    }
  }

  private check(path: string, owners: readonly Owner[], attribute: string, wanted?: Wanted): void {
    const { partitionKey, sortKey } = this.table;
    // After a mistake in an order its attribute has no name.
    if (attribute === '' || owners.length === 0) return;
    const having = owners.filter(({ known }) => known?.forms.has(attribute));
    if (having.length === 0 && owners.every(({ known }) => known?.isOpen === false)) {
      if ([partitionKey, sortKey, TARGET_ID].includes(attribute)) return;
      const words = owners.flatMap(({ known }) => [...known!.forms.keys()]);
      const whose = owners.map(({ name }) => name).join(' or ');
      this.note(path, `${attribute} is no attribute of ${whose}${wordsThereAre(attribute, new Set(words))}`);
    }
    if (wanted === undefined) return;
    for (const { known } of having) this.checkForms(path, attribute, known!.forms.get(attribute) ?? [], wanted);
  }

  private checkForms(path: string, attribute: string, forms: readonly ValueForm[], wanted: Wanted): void {
    const wrong = forms.filter((form) => !wanted.takes(form));
    if (wrong.length === 0) return;
    const names = new Set(
      wrong.map(({ kind, text }) => (text === undefined ? FORM_NAMES[kind] : JSON.stringify(text))),
    );
    const verb = wrong.length === forms.length ? 'is' : 'may be';
    const first = wrong[0]!;
    const remedy = GENERAL_REMEDIES[first.kind] ?? wanted.remedy(first);
    this.note(path, `${attribute} ${verb} ${[...names].join(' or ')} by its fields, but ${wanted.text}: ${remedy}`);
  }

  private note(path: string, message: string): void {
    const isNoted = this.mistakes.some((mistake) => mistake.path === path && mistake.message === message);
    if (!isNoted) this.mistakes.push({ path, message });
  }
}

type NamedOrder = Exclude<OrderPart, { kind: 'derive' | 'source' }>;

const isScalar = ({ kind }: ValueForm): boolean => kind === 'text' || kind === 'number' || kind === 'boolean';

const VERSION: Wanted = {
  text: 'a version is a number that the writer counts up',
  takes: ({ kind }) => kind === 'number',
  remedy: () => 'name an optional number',
};
const TIME: Wanted = {
  text: 'an end is a number of epoch seconds',
  takes: ({ kind }) => kind === 'number' || kind === 'null',
  remedy: () => 'make it a number in fields',
};
const ENTRIES: Wanted = {
  text: 'only lists, sets and maps have entries',
  takes: ({ kind }) => kind === 'list' || kind === 'map' || kind === 'null',
  remedy: () => 'leave it out of maxEntries',
};
const SUM: Wanted = {
  text: 'a sum takes numbers',
  takes: ({ kind }) => kind === 'number',
  remedy: () => 'make it a number in fields, or count its values with groupBy',
};
const GROUP: Wanted = {
  text: 'a group takes texts, numbers and booleans',
  takes: isScalar,
  remedy: () => 'name another attribute',
};
const LABEL: Wanted = {
  text: 'a label of an edge set takes texts, numbers and booleans',
  takes: (form) => isScalar(form) || form.kind === 'null',
  remedy: () => BY_DERIVE,
};
const PARTITION: Wanted = {
  text: 'a partition takes texts',
  takes: ({ kind }) => kind === 'text',
  remedy: () => 'make it a text in fields',
};
const SEGMENT: Wanted = {
  text: 'a path takes texts',
  takes: ({ kind }) => kind === 'text',
  remedy: () => 'make it a text in fields',
};

/** The values of an order, of which a remedy says how to take others. */
function orderOf(order: NamedOrder, text: string, remedies: Partial<Record<ValueForm['kind'], string>>): Wanted {
  if (order.kind === 'rank') {
    return {
      text: 'its rank gives that no weight',
      takes: (form) => form.kind === 'text' && (form.text === undefined || order.weights.has(form.text)),
      remedy: ({ kind }) => (kind === 'text' ? 'add it to the rank' : BY_DERIVE),
    };
  }
  const { type } = order;
  const wanted = type === 'number' ? 'number' : 'text';
  return {
    text: `${text} ${type === 'number' ? 'numbers' : type === 'date' ? 'ISO 8601 texts' : 'texts'}`,
    takes: ({ kind }) => kind === wanted,
    remedy: ({ kind }) => (kind === 'text' ? 'take it as a text, without number' : (remedies[kind] ?? BY_DERIVE)),
  };
}

function searchOrder(order: NamedOrder): Wanted {
  return orderOf(order, 'its search takes', { number: "give type: 'number'", list: 'give multiValue: true' });
}

function edgeOrder(order: NamedOrder, isOfSource: boolean): Wanted {
  const name = `'${order.attribute}'`;
  const from = isOfSource ? `source(${name})` : name;
  return orderOf(order, 'its order takes', { number: `order by number(${from})` });
}

/** The entries of a list or set, as a search that has an item for each takes them. */
function eachOf(order: NamedOrder): Wanted {
  const ofEntry = orderOf(order, 'multiValue takes a list or set of', { number: "give type: 'number'" });
  const wrongEntry = ({ entries = [] }: ValueForm) => entries.find((entry) => !ofEntry.takes(entry));
  return {
    text: ofEntry.text,
    takes: (form) => form.kind === 'list' && wrongEntry(form) === undefined,
    remedy: (form) => {
      const entry = form.kind === 'list' ? wrongEntry(form) : undefined;
      return entry === undefined ? 'leave out multiValue' : ofEntry.remedy(entry);
    },
  };
}
