import { attributeOf, textOfUntrusted } from '../../../src/core/items/attribute-value.ts';
import { attribute } from '../../../src/core/model/keys/key-option.ts';
import type { Letters } from '../../../src/core/model/keys/raw-keys.ts';
import type { PartitionForm } from './partition-forms.ts';
import type { ProposedEdge, ProposedNode } from './proposed-types.ts';
import type { SampledItem } from './sampled-item.ts';
import { hasDigit, typeNameOf } from './texts.ts';

/** Finds attributes that hold ids: those whose case the keys have lost, and those of edges that a node's attribute makes. */

/** The proposal as far as it is made. */
export interface ProposedTypes {
  nodes: ReadonlyMap<string, ProposedNode>;
  edges: ReadonlyMap<string, ProposedEdge>;
  /** The items that a type was made from. */
  itemsOf: ReadonlyMap<string, readonly SampledItem[]>;
  formOf: ReadonlyMap<string, PartitionForm>;
  /** Attributes of indexes: they hold keys, and no ids. */
  keyAttributes: ReadonlySet<string>;
}

/** An edge type that an attribute of a node type makes. */
export interface MadeEdge {
  name: string;
  edge: ProposedEdge;
}

/** The share of an attribute's values that have to be ids. */
const MOST = 0.9;
/** Values that show whose ids they are. */
const ENOUGH = 3;

/** Names the attributes that hold ids where the keys lose their case, if all items of a type have them; else adds a doubt. */
export function nameIds(types: ProposedTypes): void {
  for (const [type, node] of types.nodes) {
    const form = types.formOf.get(type);
    if (form === undefined || (form.lostCase === undefined && form.letters === 'any')) continue;
    if (namesOf(types, form).some((name) => nameId(types, type, name))) continue;
    const doubt =
      form.lostCase === undefined
        ? 'no attribute of each item has the id: ids with capital letters are refused'
        : `ids are as in the keys, which have another case than ${form.lostCase}`;
    node.unsure.push(doubt);
  }
}

/** The texts of the items of a form that may be its ids: first the one that has shown that the keys lose their case. */
function namesOf({ keyAttributes }: ProposedTypes, { items: [first], lostCase }: PartitionForm): string[] {
  const names = new Set([...(lostCase === undefined ? [] : [lostCase]), ...(first?.texts.keys() ?? [])]);
  return [...names].filter((name) => !keyAttributes.has(name));
}

/** Takes an attribute for the ids of a node type; false where an item of the type, or an edge of it, does not tell its ids then. */
function nameId(types: ProposedTypes, type: string, name: string): boolean {
  const { nodes, edges, itemsOf, formOf } = types;
  const node = nodes.get(type)!;
  const form = formOf.get(type)!;
  const { ids, letters } = form;
  if (letters === 'any') return false;
  const idOf = ({ source }: SampledItem): string | undefined => ids.get(source);
  const own = [...(itemsOf.get(type) ?? []), ...form.items.filter(({ target }) => node.parts.includes(target))];
  if (own.length === 0 || !holdIds(own, name, letters, idOf)) return false;
  const named: (() => void)[] = [];
  for (const [edgeType, edge] of edges) {
    const items = itemsOf.get(edgeType) ?? [];
    const before = edge.key.target!.length - '{to}'.length;
    let from = edge.key.from?.attribute ?? nodes.get(edge.from[0]!)?.key.id?.attribute;
    let to = edge.key.to?.attribute ?? nodes.get(edge.to)?.key.id?.attribute;
    if (edge.from.includes(type)) {
      from = attributeWithIds(
        items.filter((item) => ids.has(item.source)),
        name,
        to,
        letters,
        idOf,
      );
      if (from === undefined || (from !== name && edge.from.length > 1)) return false;
      const found = from;
      if (found !== name) named.push(() => Object.assign(edge.key, { from: attribute(found) }));
    }
    if (edge.to === type) {
      to = attributeWithIds(items, name, from, letters, ({ target }) => target.slice(before));
      if (to === undefined) return false;
      const found = to;
      if (found !== name) named.push(() => Object.assign(edge.key, { to: attribute(found) }));
    }
  }
  for (const take of named) take();
  node.key.id = attribute(name);
  return true;
}

/** The attribute with the ids that keys of items have, the likely one first; `taken` holds those of the edge's other end. */
function attributeWithIds(
  items: readonly SampledItem[],
  likely: string,
  taken: string | undefined,
  letters: Letters,
  idOf: (item: SampledItem) => string | undefined,
): string | undefined {
  const names = new Set([likely, ...(items[0]?.texts.keys() ?? [])]);
  return [...names].find((name) => name !== taken && holdIds(items, name, letters, idOf));
}

/** Whether an attribute of all items holds what their keys have, in whatever case. */
function holdIds(
  items: readonly SampledItem[],
  name: string,
  letters: Letters,
  idOf: (item: SampledItem) => string | undefined,
): boolean {
  return items.every((item) => {
    const text = textIn(item, name);
    return text !== undefined && folded(letters, text) === idOf(item);
  });
}

/** The edges that attributes of nodes make: nine of ten values of each are ids of one type. */
export function madeEdges(types: ProposedTypes): MadeEdge[] {
  const targets = [...types.nodes.keys()].map((type) => targetOf(types, type));
  return [...types.nodes].flatMap(([type, { key }]) => {
    const { ids } = types.formOf.get(type)!;
    const items = types.itemsOf.get(type) ?? [];
    const keys = new Set([...types.keyAttributes, ...Object.keys(key.where ?? {}), key.id?.attribute]);
    return [...valuesOf(items)].flatMap(([name, found]): MadeEdge[] => {
      if (keys.has(name)) return [];
      const values = found.map(({ text, source }) => {
        return { text, isOwn: text.toLowerCase() === ids.get(source)?.toLowerCase() };
      });
      // An attribute with the node's own id is no edge.
      if (values.length < ENOUGH || values.filter(({ isOwn }) => isOwn).length * 2 > values.length) return [];
      const texts = values.map(({ text }) => text);
      const target = targetIn(name, texts, targets);
      return target === undefined ? [] : [madeEdge(type, name, texts, target)];
    });
  });
}

/** The texts of each attribute, with the partitions of their items. Once through all of them: there may be as many names as items. */
function valuesOf(items: readonly SampledItem[]): Map<string, { text: string; source: string }[]> {
  const values = new Map<string, { text: string; source: string }[]>();
  for (const item of items) {
    for (const name of item.texts.keys()) {
      const text = textIn(item, name);
      if (text === undefined) continue;
      const own = values.get(name);
      if (own === undefined) values.set(name, [{ text, source: item.source }]);
      else own.push({ text, source: item.source });
    }
  }
  return values;
}

function madeEdge(type: string, name: string, values: readonly string[], target: Target): MadeEdge {
  const known = values.filter((value) => target.isKnown(value)).length;
  const doubt = `an attribute of ${type} makes it: of ${values.length} values of ${name} ${known} are ids of ${target.type} in the sample`;
  return {
    name: typeNameOf(`${type}_${withoutId(name) || name}`),
    edge: {
      ...{ from: [type], to: target.type, key: { to: attribute(name) } },
      ...{ items: values.length, attributes: new Map(), unsure: [doubt] },
    },
  };
}

/** A node type that edges may enter. */
interface Target {
  type: string;
  /** Whether a text is the id of a node of the sample. */
  isKnown: (text: string) => boolean;
  /** Whether a text looks like the ids of such nodes, which have digits. */
  hasForm: (text: string) => boolean;
}

function targetOf({ nodes, itemsOf, formOf }: ProposedTypes, type: string): Target {
  const { id } = nodes.get(type)!.key;
  const { ids, letters } = formOf.get(type)!;
  const all = new Set(
    (itemsOf.get(type) ?? []).flatMap(
      (item) => (id === undefined ? ids.get(item.source) : textIn(item, id.attribute)) ?? [],
    ),
  );
  const fold = (text: string): string => (id === undefined ? folded(letters, text) : text);
  const forms = new Set([...all].filter(hasDigit).map(shapeOf));
  return { type, isKnown: (text) => all.has(fold(text)), hasForm: (text) => forms.has(shapeOf(fold(text))) };
}

/** The type whose ids an attribute has; undefined where none, or more than one, may be meant. */
function targetIn(name: string, values: readonly string[], targets: readonly Target[]): Target | undefined {
  const isOfMost = (isId: (text: string) => boolean): boolean => values.filter(isId).length >= values.length * MOST;
  const named = targets.filter(({ type }) => typeNameOf(withoutId(name)) === type);
  const ofName = named.find(({ isKnown, hasForm }) => isOfMost((text) => isKnown(text) || hasForm(text)));
  if (ofName !== undefined) return ofName;
  // Ids of digits alone are found among any numbers.
  const known = targets.filter(({ isKnown }) => isOfMost((text) => isKnown(text) && !/^\d*$/.test(text)));
  return known.length === 1 ? known[0] : undefined;
}

/** The name of an attribute without `Id` at its end. */
function withoutId(name: string): string {
  return name.replace(/[_-]?id$/i, '');
}

/** A text with its digits and letters alike, as ids of one kind have them: `cus_7Fa` is `a_9a`. */
function shapeOf(text: string): string {
  const isHex = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  return isHex ? 'uuid' : text.replace(/\d{1,1024}/g, '9').replace(/[a-z]{1,1024}/gi, 'a');
}

function textIn({ item }: SampledItem, name: string): string | undefined {
  return textOfUntrusted(attributeOf(item, name)) || undefined;
}

function folded(letters: Letters, text: string): string {
  return letters === 'any' ? text : letters === 'lower' ? text.toLowerCase() : text.toUpperCase();
}
