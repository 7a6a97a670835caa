import { DERIVED_PREFIX, isDerivedKey } from '../../items/keys.ts';
import type { EdgeModel, NodeModel } from '../compiled.ts';
import { type Entry, type Letters, type Marks, type Partition, type Pattern, RawKeys } from '../keys/raw-keys.ts';
import {
  canBeSamePartition,
  canBeSameSortKey,
  countOf,
  type Pieces,
  type PlaceName,
  parseTemplate,
  patternOf,
} from '../keys/templates.ts';
import type { MistakeLog } from './schemas.ts';

/**
 * Compiles the `key` options of a model. A partition belongs to one node, and a key is of one kind of item: templates that
 * leave this open are mistakes, which name both.
 */

/** The raw keys of a model's table; undefined where no type has templates. */
export function compileRawKeys(
  nodes: ReadonlyMap<string, NodeModel>,
  edges: ReadonlyMap<string, EdgeModel>,
  mistakes: MistakeLog,
): RawKeys | undefined {
  const types = [...nodes.values(), ...edges.values()];
  if (types.every(({ key }) => key === undefined)) return undefined;
  const partitions = [...nodes.values()].map((node) => partitionOf(node, nodes, edges, mistakes));
  for (const [i, left] of partitions.entries()) {
    for (const right of partitions.slice(i + 1)) {
      if (canBeSamePartition(left, right)) mistakes.push(samePartition(left, right));
    }
    checkEntries(left, mistakes);
  }
  return new RawKeys(partitions);
}

/** An entry with the place of its template in the model. */
interface NamedEntry extends Entry {
  path: string;
}
interface NamedPartition extends Partition {
  entries: readonly NamedEntry[];
}

function partitionOf(
  node: NodeModel,
  nodes: ReadonlyMap<string, NodeModel>,
  edges: ReadonlyMap<string, EdgeModel>,
  mistakes: MistakeLog,
): NamedPartition {
  const { type, key, parts } = node;
  const path = `nodes.${type}.key`;
  const source = parsed(key?.source ?? `${type}-{id}`, ['id'], `${path}.source`, mistakes);
  const target = parsed(key?.target ?? `${type}-{id}`, ['id'], `${path}.target`, mistakes);
  if (source !== undefined && countOf(source, 'id') !== 1) {
    mistakes.push({ path: `${path}.source`, message: 'should have {id} once: a partition belongs to one node' });
  }
  const [before, after] = aroundPlace(source ?? []);
  if (isDerivedKey(before)) mistakes.push({ path: `${path}.source`, message: 'begins with ~, as only Edgeloom’s do' });
  checkBeginning(target, `${path}.target`, mistakes);
  const letters = key?.case ?? 'any';
  const id = key?.id?.attribute;
  if (id !== undefined && letters === 'any') {
    mistakes.push({
      path: `${path}.id`,
      message: 'needs a case: that of the keys',
    });
  }
  const common = { isPrefix: false, letters: 'any' as Letters, from: id };
  const own: NamedEntry = {
    ...{ ...common, known: undefined, raw: patternOf(target ?? []), marks: marksOf(key?.where) },
    path: key === undefined ? `nodes.${type}` : path,
  };
  const ofParts = [...parts.keys()].map(
    (name): NamedEntry => ({ ...common, known: name, raw: [name], marks: [], path: `nodes.${type}.parts.${name}` }),
  );
  const leaving = [...edges.values()].filter(({ from }) => from.has(type));
  const ofEdges = leaving.map((edge) => edgeEntry(edge, node, own.raw, source, nodes, mistakes));
  const entries = [own, ...ofParts, ...ofEdges.filter((one) => one !== undefined)];
  return { type, before, after, letters, id, isTemplated: key !== undefined, entries };
}

function edgeEntry(
  edge: EdgeModel,
  node: NodeModel,
  rawNode: Pattern,
  partition: Pieces | undefined,
  nodes: ReadonlyMap<string, NodeModel>,
  mistakes: MistakeLog,
): NamedEntry | undefined {
  const { type, key, to, keys } = edge;
  const start = `${type}-`;
  const path = `edges.${type}.key`;
  const from = key?.from?.attribute ?? node.key?.id?.attribute;
  if (key === undefined) {
    return { known: start, raw: [start], isPrefix: true, letters: 'any', marks: [], from, path: `edges.${type}` };
  }
  if (keys === 'hashed') mistakes.push({ path, message: "is no option of an edge with keys: 'hashed'" });
  const [entered = '', ...others] = [...to];
  if (entered === '' || others.length > 0) {
    mistakes.push({ path, message: 'is for an edge that enters one type of node: declare an edge type for each' });
  }
  const { case: letters = 'any', id } = nodes.get(entered)?.key ?? {};
  const known = `${start}${entered}-`;
  if (key.target === undefined) {
    if (key.to === undefined || key.source !== undefined || key.where !== undefined || key.from !== undefined) {
      const message = 'needs a target, or to alone';
      mistakes.push({ path, message });
    }
    const common = { isPrefix: true, isNode: true, letters: id === undefined ? letters : 'any', marks: [], path };
    return { ...common, known, raw: rawNode, from: undefined, to: key.to?.attribute };
  }
  const ids = { from, to: key.to?.attribute ?? id?.attribute };
  if (ids.to !== undefined && letters === 'any') {
    mistakes.push({
      path: `${path}.to`,
      message: `needs a case of the keys of ${entered}`,
    });
  }
  if (ids.from !== undefined && ids.from === ids.to) {
    const message = `takes both ids from ${ids.to}: give from and to`;
    mistakes.push({ path, message });
  }
  const source = key.source === undefined ? undefined : parsed(key.source, ['from'], `${path}.source`, mistakes);
  if (source !== undefined && partition !== undefined && textOf(source) !== textOf(partition)) {
    const own = node.key?.source ?? `${node.type}-{id}`;
    mistakes.push({
      path: `${path}.source`,
      message: `is another partition than that of the node that the edge leaves, ${JSON.stringify(own)} of nodes.${node.type}: an edge lies in the partition of that node. Turn the edge around, or leave the type out`,
    });
  }
  const target = parsed(key.target, ['from', 'to'], `${path}.target`, mistakes);
  checkBeginning(target, `${path}.target`, mistakes);
  const last = target?.at(-1);
  const endsWithTo = typeof last === 'object' && last.place === 'to' && countOf(target!, 'to') === 1;
  if (target !== undefined && !endsWithTo) {
    mistakes.push({
      path: `${path}.target`,
      message: 'should end with {to}, so that edges come in the order of their targets',
    });
  }
  const marks = marksOf(key.where);
  return { known, raw: patternOf(target ?? []), isPrefix: true, isTemplated: true, letters, marks, ...ids, path };
}

/** Notes a sort key that begins with an id: it could be that of any other item. */
function checkBeginning(pieces: Pieces | undefined, path: string, mistakes: MistakeLog): void {
  const [first] = pieces ?? ['-'];
  if (typeof first === 'string' && first >= '!' && first < DERIVED_PREFIX) return;
  const message =
    'should begin with a text of ASCII characters below ~, such as USER#: the keys behind it are Edgeloom’s';
  mistakes.push({ path, message });
}

function checkEntries({ entries }: NamedPartition, mistakes: MistakeLog): void {
  for (const [i, left] of entries.entries()) {
    for (const right of entries.slice(i + 1)) {
      if (left.isNode || right.isNode || !canBeSameSortKey(left, right)) continue;
      if (areToldApart(left.marks, right.marks)) continue;
      mistakes.push({
        path: `${right.path}${right.path.endsWith('.key') ? '.target' : ''}`,
        message: `fits the same sort keys as ${left.path}: ${shown(right)} and ${shown(left)}. Give both a where with different values of one attribute`,
      });
    }
  }
}

/** Whether no item has the attributes of both. */
function areToldApart(left: Marks, right: Marks): boolean {
  return left.some(([name, value]) => right.some(([other, otherValue]) => name === other && value !== otherValue));
}

function samePartition(left: NamedPartition, right: NamedPartition): { path: string; message: string } {
  const text = ({ before, after }: Partition): string => JSON.stringify(`${before}{id}${after}`);
  return {
    path: `nodes.${right.type}.key.source`,
    message: `fits the same partition keys as nodes.${left.type}: ${text(right)} and ${text(left)}. A partition belongs to one node, since what is derived of it lies there too`,
  };
}

function shown({ raw, isPrefix }: Entry): string {
  return JSON.stringify(
    raw.map((piece) => (typeof piece === 'string' ? piece : '{id}')).join('') + (isPrefix ? '…' : ''),
  );
}

function parsed(text: string, places: readonly PlaceName[], path: string, mistakes: MistakeLog): Pieces | undefined {
  const result = parseTemplate(text, places);
  if (typeof result !== 'string') return result;
  mistakes.push({ path, message: result });
  return undefined;
}

/** The texts before and after the one place of a template. */
function aroundPlace(pieces: Pieces): [before: string, after: string] {
  const at = pieces.findIndex((piece) => typeof piece !== 'string');
  const join = (some: Pieces): string => some.filter((piece) => typeof piece === 'string').join('');
  return [join(pieces.slice(0, at)), join(pieces.slice(at + 1))];
}

function textOf(pieces: Pieces): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : '{}')).join('');
}

function marksOf(where: Readonly<Record<string, string>> = {}): Marks {
  return Object.entries(where);
}
