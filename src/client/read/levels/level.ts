import { describe } from '../../../core/items/keys.ts';
import type { CompiledModel, EdgeModel } from '../../../core/model/compiled.ts';
import type { LabelValue } from '../../../core/model/declared.ts';
import { textsOfLabel } from '../../../core/model/declared-texts.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../../foundation/options.ts';
import { isPlainObject } from '../../write/checks/values.ts';
import { checkEdgeMeets, findEdge, findOrder } from '../request/lookup.ts';
import { checkPartition, unknownLabel } from '../request/order-argument.ts';
import type { EdgeSetElement } from '../request/result.ts';

/** Edges whose targets a page shows: all edges of a type, or only those with this label. */
export type WithEdges<EdgeType = string> = EdgeType | { type: EdgeType; label?: LabelValue };

/**
 * A level of a page. `'T'` and `'T:LABEL'` read edge sets. `inbound`, and `edge` for a type in no edge set, query for
 * each node above.
 */
export type WithLevel = string | LeavingLevel | EnteringLevel;

/** A level of edges that leave the nodes above it. */
export interface LeavingLevel {
  edge: string;
  label?: LabelValue;
  with?: readonly WithLevel[];
}

/** A level of edges that enter the nodes above it. */
export interface EnteringLevel {
  inbound: string;
  order?: string;
  partition?: string;
  with?: readonly WithLevel[];
}

export const MAX_DEPTH = 5;

export interface Level {
  edge: EdgeModel;
  by: 'edge set' | 'edges' | 'inbound';
  label?: string;
  order?: string | undefined;
  partition?: string | undefined;
  with: readonly Level[];
}

/** If `entries` is undefined, returns a level for each edge type that the nodes above have in their edge sets. */
export function levelsOf(
  graph: CompiledModel,
  entries: readonly (WithEdges | WithLevel)[] | undefined,
  above: ReadonlySet<string>,
  depth = 1,
): Level[] {
  if (entries === undefined) {
    const leaving = [...graph.edges.values()].filter(({ from }) => [...from].some((type) => above.has(type)));
    return leaving.flatMap((edge) => (edge.labels === undefined ? [] : [{ edge, by: 'edge set', with: [] }]));
  }
  if (!Array.isArray(entries)) {
    const message = `with should be a list, but is ${describe(entries)}.`;
    throw new EdgeloomError('invalid-argument', message, "Put the edges into a list, such as with: ['TYPE'].");
  }
  // A read goes one level beyond the last, to name the nodes that are left out.
  if (depth > MAX_DEPTH + 1) return [];
  return entries.map((entry) => levelOf(graph, entry, above, depth));
}

const OPTIONS = {
  type: { type: true, label: true },
  edge: { edge: true, label: true, with: true },
  inbound: { inbound: true, order: true, partition: true, with: true },
} as const;

function levelOf(graph: CompiledModel, entry: WithEdges | WithLevel, above: ReadonlySet<string>, depth: number): Level {
  if (typeof entry === 'string') {
    const [type, ...label] = entry.split(':');
    return listedLevel(graph, type!, label.length === 0 ? undefined : label.join(':'), above);
  }
  const about = (['inbound', 'edge'] as const).find((name) => name in Object(entry)) ?? 'type';
  checkOptions('with', entry ?? null, OPTIONS[about] as OptionNames<typeof entry>);
  if ('type' in entry) return listedLevel(graph, entry.type, entry.label, above);
  if ('inbound' in entry) return inboundLevel(graph, entry, above, depth);
  const edge = findEdge(graph, entry.edge);
  checkEdgeMeets(edge, 'leave', above);
  const isQueried = edge.labels === undefined && entry.label === undefined;
  const level: Level = isQueried ? { edge, by: 'edges', with: [] } : listedLevel(graph, edge.type, entry.label, above);
  return { ...level, with: levelsOf(graph, entry.with ?? [], edge.to, depth + 1) };
}

function inboundLevel(graph: CompiledModel, entry: EnteringLevel, above: ReadonlySet<string>, depth: number): Level {
  const edge = findEdge(graph, entry.inbound);
  const { inbound, order } = findOrder(edge, entry.order);
  checkPartition(`The order ${order.name} of ${edge.type}`, inbound.partition?.attribute, entry.partition);
  checkEdgeMeets(edge, 'enter', above);
  const below = levelsOf(graph, entry.with ?? [], edge.from, depth + 1);
  return { edge, by: 'inbound', order: entry.order, partition: entry.partition, with: below };
}

function listedLevel(
  graph: CompiledModel,
  type: string,
  label: LabelValue | undefined,
  above: ReadonlySet<string>,
): Level {
  const edge = findEdge(graph, type);
  checkEdgeMeets(edge, 'leave', above);
  if (edge.labels === undefined) {
    throw new EdgeloomError(
      'not-declared',
      `Edges of type ${type} are left out of the edge set, so a page finds neither them nor labels there.`,
      `Give edges.${type} an edgeSet in the model and migrate, or name { edge: '${type}' }: a Query for each node.`,
    );
  }
  const text = labelText(label);
  if (label !== undefined && text === undefined) {
    throw new EdgeloomError(
      'invalid-argument',
      `The label of with should be a scalar, but is ${describe(label)}.`,
      "Give a text, a number or a boolean, such as { edge: 'TYPE', label: 'LEAD' }.",
    );
  }
  if (text !== undefined) requireLabel(edge, text);
  return { edge, by: 'edge set', ...(text !== undefined && { label: text }), with: [] };
}

function requireLabel(edge: EdgeModel, text: string): void {
  const { type, labels = [] } = edge;
  if (labels.length === 0) {
    throw new EdgeloomError(
      'unknown-name',
      `The edge-set elements of ${type} have no labels, so none is ${describe(text)}.`,
      `Name ${type} alone, or give edges.${type}.edgeSet an attribute in the model.`,
    );
  }
  const texts = labels.map((label) => textsOfLabel(edge, label));
  if (texts.includes(undefined) || texts.some((some) => some!.includes(text))) return;
  const names = labels.map(({ name }) => name).join(', ');
  throw unknownLabel(
    `No label of ${type} (${names}) is ${describe(text)}.`,
    'The model declares',
    text,
    texts.flatMap((some) => some!),
  );
}

export function showsEdge(
  { type, target: _, copy: _copy, ...labels }: EdgeSetElement,
  { edge, label }: Level,
): boolean {
  if (edge.type !== type) return false;
  return label === undefined || Object.values(labels).some((value) => labelText(value) === label);
}

/** Labels compare as text, because `readNumber` may return numbers of any type. */
function labelText(value: unknown): string | undefined {
  if (value === null || value === undefined || value instanceof Uint8Array) return undefined;
  if (Array.isArray(value) || value instanceof Set || isPlainObject(value)) return undefined;
  return String(value);
}
