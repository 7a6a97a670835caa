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
import { NODE_LIST, nodeList } from '../node-list.ts';
import { wordsThereAre } from '../options/nearest.ts';
import { compileProjection } from '../options/option-tables.ts';
import type { Shaped } from '../options/shape.ts';
import { CountPlaces, PartPlaces, TotalPlaces } from '../projection/places.ts';
import { compileInbound } from './inbound.ts';
import { compileDerive } from './order.ts';
import { checkShape, edgeSchema, type MistakeLog, NODE_TYPES, nodeSchema, partSchema, tableSchema } from './schemas.ts';
import { compileSearch, type DeclaredSearch, packSearches } from './search.ts';
import { compileOutgoing, compileTotals } from './totals.ts';

/** Model files may be plain JavaScript, so everything is checked. */

export function compileTable(input: unknown, mistakes: MistakeLog): TableNames {
  const options = checkShape(tableSchema, typeof input === 'string' ? { name: input } : input, 'table', mistakes);
  const names = {
    partitionKey: options?.partitionKey ?? 'source',
    sortKey: options?.sortKey ?? 'target',
    ttl: options?.ttl ?? 'expiresAt',
  };
  const entries = Object.entries(names);
  for (const [option, name] of entries) {
    if (DERIVED_ATTRIBUTES.has(name)) {
      mistakes.push({ path: `table.${option}`, message: `${JSON.stringify(name)} is an attribute of derived items` });
    }
    if (SERVICE_ATTRIBUTES.has(name)) {
      const message = `${JSON.stringify(name)} is an attribute of Edgeloom's own items: name another`;
      mistakes.push({ path: `table.${option}`, message });
    }
    if (entries.some(([other, otherName]) => other !== option && otherName === name)) {
      mistakes.push({ path: `table.${option}`, message: `${JSON.stringify(name)} is named twice` });
    }
  }
  const indexes = compileIndexes(options?.indexes ?? {}, names, mistakes);
  const { indexNames } = indexes;
  const named = indexes.indexes.map((index) => indexNames[index]);
  if (new Set(named).size < named.length)
    mistakes.push({ path: 'table.indexes', message: 'two indexes have one name' });
  const nativeNames = Object.entries(options?.nativeIndexes ?? {}).map(([name, keys]) => ({
    name,
    partition: keys.partitionKey,
    sort: keys.sortKey,
  }));
  return { name: options?.name ?? '', ...names, ...indexes, ...(nativeNames.length > 0 && { nativeNames }) };
}

function compileIndexes(
  option: NonNullable<Shaped<typeof tableSchema>['indexes']>,
  { partitionKey, sortKey, ttl }: Pick<TableNames, 'partitionKey' | 'sortKey' | 'ttl'>,
  mistakes: MistakeLog,
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
  const taken = [partitionKey, sortKey, ttl];
  const usual = new Set(indexes.flatMap((index): string[] => Object.values(INDEX_KEYS[index])));
  for (const index of indexes) {
    for (const [option, name] of [
      ['partitionKey', indexKeys[index].partition],
      ['sortKey', indexKeys[index].sort],
    ] as const) {
      const path = `table.indexes.${index}.${option}`;
      const quoted = JSON.stringify(name);
      if (DERIVED_ATTRIBUTES.has(name) && !usual.has(name))
        mistakes.push({ path, message: `${quoted} is an attribute of derived items` });
      if (taken.includes(name)) mistakes.push({ path, message: `${quoted} is named twice` });
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
  mistakes: MistakeLog,
): NodeModel | undefined {
  const path = `nodes.${type}`;
  checkTypeName(type, path, mistakes);
  const options = checkShape(nodeSchema, definitionOptions(definition, 'node', path, mistakes), path, mistakes);
  if (options === undefined) return undefined;
  const searches = new Map<string, DeclaredSearch>();
  for (const [name, entry] of Object.entries(options.search ?? {})) {
    const search = compileSearch(type, name, entry, `${path}.search.${name}`, mistakes);
    if (search) searches.set(name, search);
  }
  if (options.list === true) searches.set(NODE_LIST, nodeList(type));
  const { fields, view, viewBudgetBytes, versionAttribute, deletedWhen, expires } = options;
  checkDeletion(deletedWhen, [table.partitionKey, table.sortKey, table.ttl], path, mistakes);
  if (versionAttribute !== undefined && [table.partitionKey, table.sortKey, table.ttl].includes(versionAttribute)) {
    mistakes.push({
      path: `${path}.versionAttribute`,
      message: `${versionAttribute} has a meaning of its own in the table`,
    });
  }
  const viewed = compileProjection(view ?? 'KEYS_ONLY');
  const parts = compileParts(type, options.parts ?? {}, { searches, view: viewed }, path, mistakes);
  return {
    type,
    fields,
    view: viewed,
    // Edge types may also need views.
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

function checkDeletion(
  deletedWhen: string | undefined,
  taken: readonly string[],
  path: string,
  mistakes: MistakeLog,
): void {
  if (deletedWhen === undefined || !taken.includes(deletedWhen)) return;
  mistakes.push({ path: `${path}.deletedWhen`, message: `${deletedWhen} has a meaning of its own in the table` });
}

/** In sort keys, and before its searches' names. */
const MAX_PART_NAME = 64;

function compileParts(
  type: string,
  definitions: Readonly<Record<string, unknown>>,
  { searches, view }: { searches: Map<string, DeclaredSearch>; view: Projection },
  nodePath: string,
  mistakes: MistakeLog,
): Map<string, PartModel> {
  const parts = new Map<string, PartModel>();
  for (const [name, definition] of Object.entries(definitions)) {
    const path = `${nodePath}.parts.${name}`;
    if (!isTypeName(name) || name.length > MAX_PART_NAME) {
      const message = `is not the name of a part: names match [A-Z][A-Z0-9_]* and have at most ${MAX_PART_NAME} characters`;
      mistakes.push({ path, message });
    }
    if (view.kind === 'LIST' && view.attributes.includes(name)) {
      mistakes.push({
        path: `${nodePath}.view`,
        message: `names ${name}, under which reads show the part of that name`,
      });
    }
    const options = checkShape(partSchema, definitionOptions(definition, 'part', path, mistakes), path, mistakes);
    if (options === undefined) continue;
    for (const [attribute, entry] of Object.entries(options.search ?? {})) {
      const searchPath = `${path}.search.${attribute}`;
      const search = compileSearch(type, attribute, entry, searchPath, mistakes, name);
      if (search === undefined) continue;
      if (searches.has(search.name)) {
        mistakes.push({ path: searchPath, message: `has the name of the search ${search.name} of the node` });
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
  mistakes: MistakeLog,
): EdgeModel | undefined {
  const path = `edges.${type}`;
  checkTypeName(type, path, mistakes);
  const options = checkShape(edgeSchema, definitionOptions(definition, 'edge', path, mistakes), path, mistakes);
  if (options === undefined) return undefined;
  const from = checkNodeTypes(options.from, `${path}.from`, nodeTypes, mistakes);
  const to = checkNodeTypes(options.to, `${path}.to`, nodeTypes, mistakes);
  const { deletedWhen, expires } = options;
  const ofKeys = [table.partitionKey, table.sortKey, table.ttl, ...(options.keys === 'hashed' ? [TARGET_ID] : [])];
  checkDeletion(deletedWhen, ofKeys, path, mistakes);
  const outgoing = compileOutgoing(options.outgoing, `${path}.outgoing`, mistakes);
  const incoming = compileTotals(Object(options.inbound), `${path}.inbound`, mistakes);
  // The edge `GOAL` from `GOAL-USER-U1` to `USER-U1` would have the key of the node `GOAL-USER-U1`.
  if (from.has(type)) {
    mistakes.push({
      path,
      message: `has the name of a node type that it leaves; its keys would collide with that node's`,
    });
  }
  return {
    type,
    fields: options.fields,
    from,
    to,
    labels: compileLabels(options.edgeSet, path, mistakes),
    inbound: compileInbound(type, options.inbound, table, `${path}.inbound`, mistakes),
    ...((options.degree === true || outgoing !== undefined) && {
      count: { places: new CountPlaces(type), ...(outgoing && { totals: outgoing }) },
    }),
    ...(incoming && { incoming: { places: new TotalPlaces(type), totals: incoming } }),
    keys: compileKeys(options.keys, table, `${path}.keys`, mistakes),
    copy: compileCopy(options, `${path}.copy`, mistakes),
    ...(deletedWhen !== undefined && { deletedWhen }),
    ...(expires !== undefined && { expires }),
  };
}

function compileCopy(
  { copy, edgeSet, keys }: Shaped<typeof edgeSchema>,
  path: string,
  mistakes: MistakeLog,
): string[] | undefined {
  if (copy === undefined) return undefined;
  if (edgeSet === false) {
    mistakes.push({ path, message: 'copies belong to edges of the edge set; edgeSet is false' });
  }
  if (keys === 'hashed') {
    mistakes.push({ path, message: "copies belong to edges whose keys name their targets; keys is 'hashed'" });
  }
  return [...new Set(copy)];
}

function compileKeys(
  option: EdgeModel['keys'] = 'plain',
  { partitionKey, sortKey, ttl }: TableNames,
  path: string,
  mistakes: MistakeLog,
): EdgeModel['keys'] {
  if (option === 'hashed' && [partitionKey, sortKey, ttl].includes(TARGET_ID)) {
    mistakes.push({ path, message: `hashed keys need the attribute ${TARGET_ID}, which the table option names` });
  }
  return option;
}

function compileLabels(
  option: Shaped<typeof edgeSchema>['edgeSet'],
  path: string,
  mistakes: MistakeLog,
): LabelModel[] | undefined {
  if (option === false) return undefined;
  const entries = Array.isArray(option) ? option.map((name) => [name, name] as const) : Object.entries(option ?? {});
  const seen = new Set<string>();
  return entries.map(([name, from]): LabelModel => {
    const labelPath = `${path}.edgeSet.${name}`;
    if (ENTRY_FIELDS.has(name)) {
      mistakes.push({ path: labelPath, message: `${name} is part of every entry; name the label otherwise` });
    }
    if (seen.has(name)) mistakes.push({ path: labelPath, message: 'is listed twice' });
    seen.add(name);
    return typeof from === 'string'
      ? { name, from: { kind: 'attribute', attribute: from } }
      : { name, from: compileDerive(from) };
  });
}

function checkTypeName(type: string, path: string, mistakes: MistakeLog): void {
  if (!isTypeName(type)) mistakes.push({ path, message: 'is not a type name: types match [A-Z][A-Z0-9_]*' });
}

function checkNodeTypes(
  input: string | string[] | undefined,
  path: string,
  nodeTypes: ReadonlySet<string>,
  mistakes: MistakeLog,
): Set<string> {
  if (input === undefined && !mistakes.some((mistake) => mistake.path.startsWith(path))) {
    mistakes.push({ path, message: NODE_TYPES });
  }
  const types = new Set(typeof input === 'string' ? [input] : input);
  for (const type of types) {
    if (!nodeTypes.has(type))
      mistakes.push({
        path,
        message: `${JSON.stringify(type)} is not a node type of the model${wordsThereAre(type, nodeTypes)}`,
      });
  }
  return types;
}

function definitionOptions(
  definition: unknown,
  kind: 'node' | 'part' | 'edge',
  path: string,
  mistakes: MistakeLog,
): unknown {
  if (typeof definition === 'object' && definition !== null && 'kind' in definition && 'options' in definition) {
    if (definition.kind === kind) return definition.options;
  }
  mistakes.push({ path, message: `should be made with ${kind}({ ... })` });
  return undefined;
}
