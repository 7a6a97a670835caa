import {
  DERIVED_ATTRIBUTES,
  INDEX_KEYS,
  INDEX_NAMES,
  SERVICE_ATTRIBUTES,
  USUAL_INDEXES,
} from '../../items/derived-item.ts';
import { ENTRY_FIELDS } from '../../items/element.ts';
import { TARGET_ID } from '../../items/hashed-key.ts';
import { isTypeName } from '../../items/keys.ts';
import type { EdgeModel, IndexName, LabelModel, NodeModel, PartModel, Projection, TableNames } from '../compiled.ts';
import { ENDS } from '../ends.ts';
import { BOOKKEEPING } from '../mirrored.ts';
import { NODE_LIST, nodeList } from '../node-list.ts';
import { wordsThereAre } from '../options/nearest.ts';
import { compileProjection } from '../options/option-tables.ts';
import type { Shaped } from '../options/shape.ts';
import { CountPlaces, PartPlaces, TotalPlaces } from '../projection/places.ts';
import { compileInbound } from './inbound.ts';
import type { Mistakes } from './mistakes.ts';
import { compileDerive } from './order.ts';
import { checkShape, edgeSchema, NODE_TYPES, nodeSchema, partSchema, tableSchema } from './schemas.ts';
import { compileSearch, type DeclaredSearch, packSearches } from './search.ts';
import { compileOutgoing, compileTotals } from './totals.ts';

/** Checks everything at run time, because model files may be plain JavaScript. */

export function compileTable(input: unknown, mistakes: Mistakes): TableNames {
  const options = checkShape(tableSchema, typeof input === 'string' ? { name: input } : (input ?? null), mistakes);
  const names = {
    partitionKey: options?.partitionKey ?? 'source',
    sortKey: options?.sortKey ?? 'target',
    ttl: options?.ttl ?? 'expiresAt',
  };
  const entries = Object.entries(names);
  for (const [option, name] of entries) {
    const owner = ownerOfAttribute(name);
    if (owner !== undefined) mistakes.at(option).note(`${JSON.stringify(name)} is an attribute of ${owner}`);
    if (entries.some(([other, otherName]) => other !== option && otherName === name)) {
      mistakes.at(option).note(`${JSON.stringify(name)} is named twice`);
    }
  }
  const indexes = compileIndexes(options?.indexes ?? {}, names, mistakes.at('indexes'));
  const { indexNames } = indexes;
  const named = indexes.indexes.map((index) => indexNames[index]);
  if (new Set(named).size < named.length) mistakes.at('indexes').note('two indexes have one name');
  const nativeNames = Object.entries(options?.nativeIndexes ?? {}).map(([name, keys]) => ({
    name,
    partition: keys.partitionKey,
    sort: keys.sortKey,
  }));
  return { name: options?.name ?? '', ...names, ...indexes, ...(nativeNames.length > 0 && { nativeNames }) };
}

function compileIndexes(
  option: NonNullable<Shaped<typeof tableSchema>['indexes']>,
  table: OwnNames,
  mistakes: Mistakes,
): Pick<TableNames, 'indexes' | 'indexNames' | 'indexKeys'> {
  const given: Exclude<typeof option, number> = typeof option === 'number' ? {} : option;
  const last = INDEX_NAMES.findLastIndex((index) => given[index] !== undefined);
  const indexes = INDEX_NAMES.slice(0, typeof option === 'number' ? option : Math.max(USUAL_INDEXES.length, last + 1));
  const optionsOf = (index: IndexName) => (typeof given[index] === 'string' ? { name: given[index] } : given[index]);
  const keysOf = (index: IndexName) => {
    const { partitionKey: partition, sortKey: sort } = optionsOf(index) ?? {};
    return { partition: partition ?? INDEX_KEYS[index].partition, sort: sort ?? INDEX_KEYS[index].sort };
  };
  const indexKeys = byIndex(keysOf);
  const indexNames = byIndex((index) => optionsOf(index)?.name ?? index);
  const taken: string[] = ownNames(table);
  const usual = new Set(indexes.flatMap((index): string[] => Object.values(INDEX_KEYS[index])));
  for (const index of indexes) {
    for (const [option, name] of [
      ['partitionKey', indexKeys[index].partition],
      ['sortKey', indexKeys[index].sort],
    ] as const) {
      const quoted = JSON.stringify(name);
      const owner = usual.has(name) ? undefined : ownerOfAttribute(name);
      if (owner !== undefined) mistakes.at(`${index}.${option}`).note(`${quoted} is an attribute of ${owner}`);
      if (taken.includes(name)) mistakes.at(`${index}.${option}`).note(`${quoted} is named twice`);
      taken.push(name);
    }
  }
  const isUsual = indexes.every((index) => typeof given[index] !== 'object');
  return { indexes, indexNames, ...(!isUsual && { indexKeys }) };
}

function byIndex<T>(entryOf: (index: IndexName) => T): Record<IndexName, T> {
  return Object.fromEntries(INDEX_NAMES.map((index) => [index, entryOf(index)])) as Record<IndexName, T>;
}

export function compileNode(
  type: string,
  definition: unknown,
  table: TableNames,
  mistakes: Mistakes,
): NodeModel | undefined {
  checkTypeName(type, mistakes);
  const options = checkShape(nodeSchema, definitionOptions(definition, 'node', mistakes), mistakes);
  if (options === undefined) return undefined;
  const searches = new Map<string, DeclaredSearch>();
  for (const [name, entry] of Object.entries(options.search ?? {})) {
    const search = compileSearch(type, name, entry, mistakes.at(`search.${name}`));
    if (search) searches.set(name, search);
  }
  if (options.list === true) searches.set(NODE_LIST, nodeList(type));
  const { fields, view, viewBudgetBytes, versionAttribute, deletedWhen, expires } = options;
  checkFree(deletedWhen, ownNames(table), mistakes.at('deletedWhen'));
  checkFree(versionAttribute, ownNames(table), mistakes.at('versionAttribute'));
  const viewed = compileProjection(view ?? 'KEYS_ONLY');
  const parts = compileParts(type, options.parts ?? {}, { searches, view: viewed }, mistakes);
  return {
    type,
    fields,
    view: viewed,
    // `defineGraph` also sets this for a type that needs views because of its edges.
    hasView: view !== undefined || parts.size > 0,
    ...(view === undefined && { isShownItself: true }),
    parts,
    viewBudgetBytes,
    versionAttribute,
    searches: new Map(packSearches(searches.values(), table.indexes).map((search) => [search.name, search])),
    maxEntries: new Map(Object.entries(options.maxEntries ?? {})),
    includedBy: [],
    ...(deletedWhen !== undefined && { deletedWhen }),
    ...(expires !== undefined && { expires }),
  };
}

/** Completes "is an attribute of ..."; undefined if only base items can have the attribute. */
export function ownerOfAttribute(name: string): string | undefined {
  if (DERIVED_ATTRIBUTES.has(name)) return 'derived items';
  if (BOOKKEEPING.includes(name)) return 'mirrored items: name another';
  return SERVICE_ATTRIBUTES.has(name) ? "Edgeloom's own items: name another" : undefined;
}

type OwnNames = Pick<TableNames, 'partitionKey' | 'sortKey' | 'ttl'>;

export function ownNames({ partitionKey, sortKey, ttl }: OwnNames): string[] {
  return [partitionKey, sortKey, ttl];
}

function checkFree(attribute: string | undefined, taken: readonly string[], mistakes: Mistakes): void {
  if (attribute === undefined || !taken.includes(attribute)) return;
  mistakes.note(`${attribute} has a meaning of its own in the table`);
}

/** Limited because the name is in sort keys, and in front of the names of the part's searches. */
const MAX_PART_NAME = 64;

function compileParts(
  type: string,
  definitions: Readonly<Record<string, unknown>>,
  { searches, view }: { searches: Map<string, DeclaredSearch>; view: Projection },
  ofNode: Mistakes,
): Map<string, PartModel> {
  const parts = new Map<string, PartModel>();
  for (const [name, definition] of Object.entries(definitions)) {
    const mistakes = ofNode.at(`parts.${name}`);
    if (!isTypeName(name) || name.length > MAX_PART_NAME) {
      const message = `is not the name of a part: names match [A-Z][A-Z0-9_]* and have at most ${MAX_PART_NAME} characters`;
      mistakes.note(message);
    }
    if (view.kind === 'LIST' && view.attributes.includes(name)) {
      ofNode.at('view').note(`names ${name}, under which reads show the part of that name`);
    }
    const options = checkShape(partSchema, definitionOptions(definition, 'part', mistakes), mistakes);
    if (options === undefined) continue;
    for (const [attribute, entry] of Object.entries(options.search ?? {})) {
      const ofSearch = mistakes.at(`search.${attribute}`);
      const search = compileSearch(type, attribute, entry, ofSearch, name);
      if (search === undefined) continue;
      if (searches.has(search.name)) {
        ofSearch.note(`has the name of the search ${search.name} of the node`);
      }
      searches.set(search.name, search);
    }
    const viewed = compileProjection(options.view ?? 'ALL');
    parts.set(name, {
      name,
      fields: options.fields,
      view: { name, view: viewed, inForce: { places: new PartPlaces(name) } },
    });
  }
  return parts;
}

export function compileEdge(
  type: string,
  definition: unknown,
  nodeTypes: ReadonlySet<string>,
  table: TableNames,
  mistakes: Mistakes,
): EdgeModel | undefined {
  checkTypeName(type, mistakes);
  const options = checkShape(edgeSchema, definitionOptions(definition, 'edge', mistakes), mistakes);
  if (options === undefined) return undefined;
  const from = checkNodeTypes(options.from, nodeTypes, mistakes.at('from'));
  const to = checkNodeTypes(options.to, nodeTypes, mistakes.at('to'));
  const { deletedWhen, expires } = options;
  const taken = [...ownNames(table), ...(options.keys === 'hashed' ? [TARGET_ID] : [])];
  checkFree(deletedWhen, taken, mistakes.at('deletedWhen'));
  const outgoing = compileOutgoing(options.outgoing, mistakes.at('outgoing'));
  const incoming = compileTotals(Object(options.inbound), mistakes.at('inbound'));
  // The edge `GOAL` from `GOAL-USER-U1` to `USER-U1` would have the key of the node `GOAL-USER-U1`.
  if (from.has(type)) {
    mistakes.note(`has the name of a node type that it leaves; its keys would collide with that node's`);
  }
  return {
    type,
    fields: options.fields,
    from,
    to,
    labels: compileLabels(options.edgeSet, mistakes.at('edgeSet')),
    inbound: compileInbound(type, options.inbound, table, mistakes.at('inbound')),
    ...((options.degree === true || outgoing !== undefined) && {
      count: { places: new CountPlaces(type), ...(outgoing && { totals: outgoing }) },
    }),
    ...(incoming && { incoming: { places: new TotalPlaces(type), totals: incoming } }),
    keys: compileKeys(options.keys, table, mistakes.at('keys')),
    copy: compileCopy(options, mistakes.at('copy')),
    ...(deletedWhen !== undefined && { deletedWhen }),
    ...(expires !== undefined && { expires }),
  };
}

function compileCopy({ copy, edgeSet, keys }: Shaped<typeof edgeSchema>, mistakes: Mistakes): string[] | undefined {
  if (copy === undefined) return undefined;
  if (edgeSet === false) {
    mistakes.note('copies belong to edges of the edge set; edgeSet is false');
  }
  if (keys === 'hashed') {
    mistakes.note("copies belong to edges whose keys name their targets; keys is 'hashed'");
  }
  return [...new Set(copy)];
}

function compileKeys(option: EdgeModel['keys'] = 'plain', table: TableNames, mistakes: Mistakes): EdgeModel['keys'] {
  if (option === 'hashed' && ownNames(table).includes(TARGET_ID)) {
    mistakes.note(`hashed keys need the attribute ${TARGET_ID}, which the table option names`);
  }
  return option;
}

function compileLabels(option: Shaped<typeof edgeSchema>['edgeSet'], mistakes: Mistakes): LabelModel[] | undefined {
  if (option === false) return undefined;
  const entries = Array.isArray(option) ? option.map((name) => [name, name] as const) : Object.entries(option ?? {});
  const seen = new Set<string>();
  return entries.map(([name, from]): LabelModel => {
    const ofLabel = mistakes.at(name);
    if (ENTRY_FIELDS.has(name) || name === ENDS) {
      ofLabel.note(`${name} is part of every entry; name the label otherwise`);
    }
    if (seen.has(name)) ofLabel.note('is listed twice');
    seen.add(name);
    return typeof from === 'string'
      ? { name, from: { kind: 'attribute', attribute: from } }
      : { name, from: compileDerive(from) };
  });
}

function checkTypeName(type: string, mistakes: Mistakes): void {
  if (!isTypeName(type)) mistakes.note('is not a type name: types match [A-Z][A-Z0-9_]*');
}

function checkNodeTypes(
  input: string | string[] | undefined,
  nodeTypes: ReadonlySet<string>,
  mistakes: Mistakes,
): Set<string> {
  if (input === undefined && !mistakes.areAny) mistakes.note(NODE_TYPES);
  const types = new Set(typeof input === 'string' ? [input] : input);
  for (const type of types) {
    if (!nodeTypes.has(type))
      mistakes.note(`${JSON.stringify(type)} is not a node type of the model${wordsThereAre(type, nodeTypes)}`);
  }
  return types;
}

function definitionOptions(definition: unknown, kind: 'node' | 'part' | 'edge', mistakes: Mistakes): unknown {
  if (typeof definition === 'object' && definition !== null && 'kind' in definition && 'options' in definition) {
    if (definition.kind === kind) return definition.options;
  }
  mistakes.note(`should be made with ${kind}({ ... })`);
  return undefined;
}
