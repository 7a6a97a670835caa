import type { TextFormName } from '../../src/core/model/options/option-tables.ts';
import type { Attributes, EdgeFact, Facts } from './facts.ts';
import { type ModelInput, type Options, ordersOf, partsOf, searchesOf } from './model.ts';

/**
 * What a model's projections should say, from the options of the model file and the base items alone. It shares nothing with the product:
 * no key, no encoding, no planner. What is compared are values, and what they sort by are lists of texts and numbers.
 */

/** What a row of a list sorts by. */
export type Sort = readonly (string | number)[];

/** A value that something is found by. */
export interface Place {
  sort: Sort;
  /** As it was written; of several values a list. */
  value: unknown;
}

/** A hit of a search. */
export interface HitRow extends Place {
  id: string;
  attributes: Attributes;
  within: unknown;
}

/** A row of an order of edges. */
export interface EdgeRow extends Place {
  edge: EdgeFact;
  attributes: Attributes;
  within: unknown;
}

/** The type of a node. */
export function typeOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

/** The order of texts is that of their bytes. */
export function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** The order of rows, ties by the id of the node that a row is of. */
export function compareRows(left: { sort: Sort; id: string }, right: { sort: Sort; id: string }): number {
  for (const [i, value] of left.sort.entries()) {
    const other = right.sort[i];
    if (other === undefined) return 1;
    const order = typeof value === 'number' ? value - (other as number) : compareText(value, String(other));
    if (order !== 0) return order;
  }
  return left.sort.length - right.sort.length || compareText(left.id, right.id);
}

/** The attributes that a `view` or `project` option copies. */
export function shown(attributes: Attributes, option: unknown): Attributes {
  if (option === 'ALL') return attributes;
  if (option === 'KEYS_ONLY' || option === undefined) return {};
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => (option as string[]).includes(name)));
}

/** What the options that give texts a form do to a text. One that is missing here does not compile. */
const FORMS: Readonly<Record<TextFormName, (text: string) => string>> = {
  caseInsensitive: (text) => text.normalize('NFKD').toLowerCase(),
};

/** What a value is compared as. @param options of its search. */
export function comparedAs(value: unknown, type: unknown, options: Options = {}): string | number {
  if (type === 'number') return Number(value);
  if (type === 'date') {
    const text = String(value);
    return Date.parse(/T/.test(text) ? text : `${text}T00:00:00Z`);
  }
  const forms = Object.entries(FORMS).filter(([name]) => options[name] === true);
  return forms.reduce((text, [, form]) => form(text), String(value));
}

interface Kinded {
  kind?: string;
  attribute?: unknown;
  weights?: Readonly<Record<string, number>>;
  compute?: (attributes: Attributes, context: object) => string | undefined;
}

/** Attributes that an order looks at: of the item itself, and of the node that an edge leaves. */
interface Subject {
  own: Attributes | undefined;
  source?: Attributes | undefined;
  context: object;
}

/** What a subject is found by in an order of one value; undefined: it is not in it. */
function placeOf(
  order: unknown,
  { own, source, context }: Subject,
  type: unknown,
  options: Options = {},
): Place | undefined {
  const of = order as Kinded;
  const attributeOf = (name: unknown): unknown => {
    const { kind, attribute } = name as Kinded;
    return kind === 'source' ? source?.[String(attribute)] : own?.[String(name)];
  };
  const at = (value: unknown, as: unknown): Place | undefined =>
    value === undefined ? undefined : { sort: [comparedAs(value, as, options)], value };
  if (typeof order === 'string' || of.kind === 'source') return at(attributeOf(order), type);
  if (of.kind === 'derive') return own && at(of.compute!(own, context), 'string');
  if (of.kind !== 'rank') return at(attributeOf(of.attribute), of.kind);
  const label = attributeOf(of.attribute);
  return label === undefined ? undefined : { sort: [of.weights![String(label)]!, String(label)], value: label };
}

/** The hits of a search of a node type, in their order. */
export function hitsOf(model: ModelInput, { nodes, parts }: Facts, type: string, name: string): HitRow[] {
  const entry = searchesOf(model.nodes[type]!).get(name);
  const isOrder = typeof entry === 'string' || (entry as Kinded).kind !== undefined;
  const options = (isOrder ? { attribute: entry } : entry) as Options;
  const rows: HitRow[] = [];
  const [part, own = name] = name.includes('.') ? name.split('.') : [undefined, name];
  // A part is found whether its node is there or not.
  const ofPart = [...parts].flatMap(([id, all]): [string, Attributes][] => {
    const attributes = all.get(part!);
    return attributes === undefined ? [] : [[id, attributes]];
  });
  for (const [id, attributes] of part === undefined ? nodes : ofPart) {
    if (typeOf(id) !== type) continue;
    const within = options['partition'] === undefined ? undefined : attributes[String(options['partition'])];
    if (options['partition'] !== undefined && within === undefined) continue;
    const row = { id, attributes: shown(attributes, options['project']), within };
    for (const place of placesOf(options, own, id, attributes)) rows.push({ ...row, ...place });
  }
  return rows.sort(compareRows);
}

function placesOf(options: Options, name: string, id: string, attributes: Attributes): Place[] {
  if (options['path'] !== undefined) {
    const segments = leading((options['path'] as string[]).map((attribute) => attributes[attribute]));
    return segments.length === 0
      ? []
      : [{ sort: segments.map((one) => comparedAs(one, 'string', options)), value: segments }];
  }
  const order = options['attribute'] ?? name;
  const subject = { own: attributes, context: { source: id, type: typeOf(id), target: id } };
  if (options['multiValue'] !== true)
    return [placeOf(order, subject, options['type'], options)].filter((place) => place !== undefined);
  const attribute = String(typeof order === 'string' ? order : (order as Kinded).attribute);
  const found = new Map<string | number, Place>();
  for (const value of (attributes[attribute] ?? []) as unknown[]) {
    const sort = comparedAs(value, options['type'], options);
    const other = found.get(sort);
    // Values of one form are one hit, which shows the first of them.
    if (other === undefined || compareText(String(value), String(other.value)) < 0)
      found.set(sort, { sort: [sort], value });
  }
  return [...found.values()];
}

function leading(values: readonly unknown[]): unknown[] {
  const hole = values.indexOf(undefined);
  return hole < 0 ? [...values] : values.slice(0, hole);
}

/** The edges that enter a node, in one of their orders. */
export function inboundOf(model: ModelInput, facts: Facts, type: string, target: string, orderName: string): EdgeRow[] {
  const options = model.edges[type]!;
  const inbound = options['inbound'] as Options;
  const order = ordersOf(options).find(([name]) => name === orderName)![1];
  const rows: (EdgeRow & { id: string })[] = [];
  for (const edge of facts.edges) {
    if (edge.type !== type || edge.target !== target) continue;
    const source = sourceOf(model, facts, edge.source);
    const { source: from, attributes } = edge;
    const subject = { own: attributes, source, context: { source: from, type, target } };
    const partition = inbound['partition'];
    const within = partition === undefined ? undefined : placeOf(partition, subject, 'string')?.value;
    const place = Array.isArray(order) ? severalPlaces(order, subject) : placeOf(order, subject, undefined);
    if (place === undefined || (partition !== undefined && within === undefined)) continue;
    const ofSource = shown(source ?? {}, inbound['projectSource']);
    rows.push({
      ...place,
      id: from,
      edge,
      within,
      attributes: { ...shown(attributes, inbound['project']), ...ofSource },
    });
  }
  return rows.sort(compareRows);
}

function severalPlaces(parts: readonly unknown[], subject: Subject): Place | undefined {
  const places = leading(parts.map((part) => placeOf(part, subject, undefined))) as Place[];
  if (places.length === 0) return undefined;
  return { sort: places.flatMap(({ sort }) => sort), value: places.map(({ value }) => value) };
}

/** What orders see of the node that an edge leaves: its attributes, and those of its parts behind the parts' names. */
function sourceOf(model: ModelInput, { nodes, parts }: Facts, id: string): Attributes | undefined {
  const own = nodes.get(id);
  if (own === undefined) return undefined;
  const all: Record<string, unknown> = { ...own };
  for (const name of Object.keys(partsOf(model.nodes[typeOf(id)]!)))
    for (const [attribute, value] of Object.entries(parts.get(id)?.get(name) ?? {}))
      all[`${name}.${attribute}`] = value;
  return all;
}

/** The attributes that reads show of a node: those of its view, and those of each part under the part's name. */
function attributesOf(model: ModelInput, { nodes, parts }: Facts, id: string): Attributes | null {
  const own = nodes.get(id);
  if (own === undefined) return null;
  const options = model.nodes[typeOf(id)]!;
  const all: Record<string, unknown> = { ...shown(own, options['view'] ?? 'ALL') };
  for (const [name, { view = 'ALL' }] of Object.entries(partsOf(options))) {
    const part = parts.get(id)?.get(name);
    if (part !== undefined) all[name] = shown(part, view);
  }
  return all;
}

/** An entry of an edge set. */
export type Entry = Readonly<Record<string, unknown>>;

/** What `getViews` gives of a node: null where neither it nor an edge of its set is there. */
export function shownViewOf(model: ModelInput, facts: Facts, id: string): ReturnType<typeof viewOf> | null {
  const view = viewOf(model, facts, id);
  return view.attributes === null && view.edgeSet.length === 0 ? null : view;
}

/** The view of a node; of one that is not there the attributes are null. */
export function viewOf(
  model: ModelInput,
  facts: Facts,
  id: string,
): { id: string; attributes: Attributes | null; edgeSet: Entry[] } {
  const edgeSet = facts.edges.filter(({ source }) => source === id).flatMap((edge) => entryOf(model, facts, edge));
  edgeSet.sort(
    (left, right) =>
      compareText(String(left['type']), String(right['type'])) ||
      compareText(String(left['target']), String(right['target'])),
  );
  return { id, attributes: attributesOf(model, facts, id), edgeSet };
}

/** Whether an edge type may leave one node and enter the other. */
export function isBetween(options: Options, source: string, target: string): boolean {
  return (options['from'] as string[]).includes(typeOf(source)) && (options['to'] as string[]).includes(typeOf(target));
}

function entryOf(model: ModelInput, facts: Facts, { source, type, target, attributes }: EdgeFact): Entry[] {
  const options = model.edges[type];
  if (options === undefined || options['edgeSet'] === false || !isBetween(options, source, target)) return [];
  const given = options['edgeSet'] ?? [];
  const labels = Array.isArray(given) ? Object.fromEntries(given.map((name) => [name, name])) : (given as Options);
  const entry: Record<string, unknown> = { type, target };
  for (const [label, of] of Object.entries(labels)) {
    const value =
      typeof of === 'string' ? attributes[of] : (of as Kinded).compute!(attributes, { source, type, target });
    if (value !== undefined) entry[label] = value;
  }
  const copied = options['copy'] === undefined ? undefined : facts.nodes.get(target);
  if (copied !== undefined) entry['copy'] = shown(copied, options['copy']);
  return [entry];
}
