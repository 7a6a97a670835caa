import {
  type Field,
  isOfPartition,
  type KeyNames,
  type Kind,
  kindsByKeys,
  kindsOfLibrary,
  type Library,
  libraryOf,
  partitionName,
  prefixOf,
} from './kinds.ts';
import { withMarks } from './marks.ts';
import type { SampledItem } from './sampled-item.ts';
import { grouped, typeNameOf, UniqueNames, withoutId, wordsOf } from './texts.ts';

/** A node, and the fields of an item that make up its id. */
export interface Reference {
  type: string;
  id: readonly Field[];
}

export interface ProposedEdge {
  type: string;
  from: Reference;
  to: Reference;
  /** True if the kind's items are the edges, so that the attributes belong to the edges. */
  isWhole: boolean;
}

export interface ProposedKind extends Kind {
  node: Reference | undefined;
  edges: readonly ProposedEdge[];
}

export interface LeftOut {
  items: number;
  example: readonly [string, string];
  reason: string;
}

export interface Proposal {
  library: Library | undefined;
  /** The separator of most keys, also used in ids of several parts. */
  separator: string;
  keys: KeyNames;
  kinds: readonly ProposedKind[];
  /** Includes types without items. */
  nodes: readonly string[];
  leftOut: ReadonlyMap<SampledItem, string>;
}

const MOST_KINDS = 100;
const SINGLE = 'nothing varies in its keys: it is one item of the whole table';
const [FEW, ENOUGH_ITEMS] = [5, 500];
const MOST_FIELDS = 4;
/** Minimum share of a field's values that must be ids of a type: if the type's own field has the same name, and otherwise. */
const [SHARE_BY_FIELD, SHARE] = [0.2, 0.9];
/** A field with this many values may be a reference whatever its name. */
const ENOUGH = 3;

/** The order of the sample doesn't matter. */
export function propose(sample: readonly SampledItem[], keys: KeyNames): Proposal {
  const textOf = ({ keys: [source, target] }: SampledItem): string => `${source}\0${target}`;
  const items = withMarks([...sample].sort((left, right) => (textOf(left) < textOf(right) ? -1 : 1)));
  const library = libraryOf(items);
  const leftOut = new Map<SampledItem, string>();
  const leave = (own: readonly SampledItem[], reason: string): void => {
    for (const item of own) leftOut.set(item, reason);
  };
  const found =
    library === undefined ? kindsByKeys(items, keys) : { kinds: kindsOfLibrary(items, library, keys), separator: '' };
  if (library !== undefined)
    leave(
      items.filter(({ mark }) => mark?.attribute !== library),
      `no attribute ${library} names its entity`,
    );
  const reasons = reasonsAgainst(found.kinds, library);
  for (const [kind, reason] of reasons) leave(kind.items, reason);
  const kinds = found.kinds.filter((kind) => !reasons.has(kind));
  if (items.length >= ENOUGH_ITEMS)
    for (const { items: own, unsure } of kinds)
      if (own.length <= FEW && own.length > 1) unsure.push(`it is rare: there are ${own.length} such items`);
  const { nodes, kinds: proposed } = related(kinds, keys);
  // Fixed keys come first, because a form with places would match them.
  const single = [...reasons].flatMap(([kind, reason]): ProposedKind[] => {
    return reason === SINGLE ? [{ ...kind, node: undefined, edges: [] }] : [];
  });
  const all = library === undefined ? [...single, ...proposed] : proposed;
  return { library, separator: found.separator, keys, leftOut, nodes, kinds: all };
}

function reasonsAgainst(kinds: readonly Kind[], library: Library | undefined): Map<Kind, string> {
  const bySize = [...kinds].sort((a, b) => b.items.length - a.items.length);
  const entities = new Set<string>();
  const reasonAgainst = (kind: Kind, i: number): string | undefined => {
    if (i >= MOST_KINDS) return `only the ${MOST_KINDS} kinds with most items are proposed`;
    const entity = library && kind.mark!.value;
    if (entity !== undefined && entities.has(entity))
      return `it is of version ${kind.version} of ${entity}, and another one has more items`;
    if (entity !== undefined) entities.add(entity);
    return kind.key.length === 0 ? SINGLE : undefined;
  };
  return new Map(
    bySize.flatMap((kind, i) => {
      const reason = reasonAgainst(kind, i);
      return reason === undefined ? [] : [[kind, reason] as const];
    }),
  );
}

interface Target {
  type: string;
  key: readonly Field[];
  kind: Kind | undefined;
  prefix?: string | undefined;
  ids: ReadonlySet<string>;
  /** For each field of the key, whether all texts are digits. Digits would match any number. */
  areDigits: readonly boolean[];
}

function related(kinds: readonly Kind[], keys: KeyNames): Pick<Proposal, 'kinds' | 'nodes'> {
  const names = new UniqueNames();
  // Short keys come first: edges lead to their nodes, which should get the plain names.
  const byKeys = [...kinds].sort((a, b) => a.key.length - b.key.length);
  const targets = byKeys.map((kind) => targetOf(names.take(kind.name), kind, prefixOf(kind)));
  targets.push(...partitionsWithoutNode(kinds, keys, names));
  const references = new Map(kinds.map((kind) => [kind, referencesOf(kind, targets)]));
  const typeOf = new Map(targets.map(({ kind, type }) => [kind, type]));
  const nodes = new Set(targets.filter(({ kind }) => kind === undefined).map(({ type }) => type));
  const endsOf = new Map<Kind, [Reference, Reference]>();
  // A kind's ends have shorter keys than the kind, so `nodes` already contains them.
  for (const kind of byKeys) {
    const ends = endsIn(kind, toNodes(references.get(kind)!, nodes));
    if (ends === undefined) nodes.add(typeOf.get(kind)!);
    else endsOf.set(kind, ends);
  }
  const proposed = kinds.map((kind): ProposedKind => {
    const ends = endsOf.get(kind);
    if (ends !== undefined) {
      const [from, to] = ends;
      const name = nameOfKind(kind, from, to);
      const type = name === kind.name ? typeOf.get(kind)! : names.take(name);
      return { ...kind, node: undefined, edges: [{ type, from, to, isWhole: true }] };
    }
    const type = typeOf.get(kind)!;
    const node = { type, id: kind.key };
    const to = toNodes(references.get(kind)!, nodes);
    const edges = to.map((one) => ({ type: names.take(nameOfEdge(type, one)), from: node, to: one, isWhole: false }));
    return { ...kind, node, edges };
  });
  return { kinds: proposed, nodes: [...nodes] };
}

function targetOf(type: string, kind: Kind, prefix: string | undefined): Target {
  const ids = kind.items.flatMap((_, i) => idAt(kind, kind.key, i) ?? []);
  const areDigits = kind.key.map((field) => kind.columns.get(field)!.every((text) => /^\d*$/.test(text ?? '')));
  return { type, kind, prefix, key: kind.key, ids: new Set(ids), areDigits };
}

/** Adds a type for partitions that have no node among their items. */
function partitionsWithoutNode(kinds: readonly Kind[], keys: KeyNames, names: UniqueNames): Target[] {
  const byForm = grouped(
    kinds.filter(({ forms }) => forms?.[0].filter((word) => word === undefined).length === 1),
    ({ forms }) => JSON.stringify(forms![0]),
  );
  return [...byForm.values()].flatMap((own): Target[] => {
    if (own.some(isOfPartition)) return [];
    const [first] = own as [Kind];
    const key = first.key.slice(0, 1);
    const ids = own.flatMap((kind) => kind.columns.get(kind.key[0]!)!.map(String));
    // If every partition has just one item, nothing suggests a type.
    if (new Set(ids).size === ids.length) return [];
    const type = names.take(partitionName(first.forms![0], keys));
    return [{ type, kind: undefined, key, ids: new Set(ids), areDigits: [ids.every((id) => /^\d*$/.test(id))] }];
  });
}

interface Found {
  reference: Reference;
  /** 2: the field is named after the type, holds its whole keys or is its partition; 1: named after the type's own field; 0: neither. */
  named: number;
  ids: number;
}

function referencesOf(kind: Kind, targets: readonly Target[]): Found[] {
  const found = targets.filter(({ key }) => key.length <= MOST_FIELDS);
  return withoutRepeatedIndexKeys(
    kind,
    found.flatMap((target) => referencesTo(target, kind, targets)),
  );
}

function referencesTo(target: Target, kind: Kind, targets: readonly Target[]): Found[] {
  const fields = [...kind.columns.keys()];
  const own = targets.find((target) => target.kind === kind)!;
  const isBefore = (target: Target, than: Target): boolean =>
    target.ids.size > than.ids.size ||
    (target.ids.size === than.ids.size && targets.indexOf(target) < targets.indexOf(than));
  const found: Found[] = [];
  for (const [free, freeKey] of target.key.entries()) {
    const others = target.key.map((one, i) => (i === free ? undefined : fields.find((field) => isSame(field, one))));
    if (others.some((one, i) => i !== free && one === undefined)) continue;
    for (const field of fields) {
      const isKey = field.prefix !== undefined;
      if (others.includes(field) || (isKey && field.prefix !== target.prefix)) continue;
      const id = others.map((one) => one ?? field);
      const isOwnKey = id.length === kind.key.length && id.every((one) => kind.key.includes(one));
      // If two types share ids, only the type with fewer ids refers to the other.
      if (isOwnKey && !isBefore(target, own)) continue;
      const isOfType = free === target.key.length - 1 && isNamedAs(field, target.type);
      const isPartition = target.kind === undefined && field.place === 0;
      const named = isPartition || isOfType || isKey ? 2 : isSame(field, freeKey) ? 1 : 0;
      if (target === own && (isSameAsOwn(kind, id) || typeNameOf(withoutId(field.name)) === target.type)) continue;
      if ((named > 0 || !target.areDigits[free]) && isReference(kind, id, target, named))
        found.push({ reference: { type: target.type, id }, named, ids: target.ids.size });
    }
  }
  return found;
}

/** If an index key repeats an attribute, only the attribute makes an edge. */
function withoutRepeatedIndexKeys(kind: Kind, found: readonly Found[]): Found[] {
  const textsOf = ({ id }: Reference): string => JSON.stringify(kind.items.map((_, i) => idAt(kind, id, i) ?? null));
  const isOfIndex = ({ reference: { id } }: Found): boolean => id.some((field) => field.isOfIndex);
  const byAttributes = new Set(
    found.filter((one) => !isOfIndex(one)).map(({ reference }) => `${reference.type} ${textsOf(reference)}`),
  );
  return found.filter((one) => !isOfIndex(one) || !byAttributes.has(`${one.reference.type} ${textsOf(one.reference)}`));
}

/**
 * Returns one type per field: the type that the field's name fits best, then the type with the most ids. Leaves out a
 * field whose name fits none of several types, and references whose fields are part of another reference.
 */
function toNodes(found: readonly Found[], nodes: ReadonlySet<string>): Reference[] {
  const byFields = grouped(
    found.filter(({ reference }) => nodes.has(reference.type)),
    ({ reference: { id } }) => nameOf({ type: '', id }),
  );
  const references = [...byFields.values()].flatMap((own) => {
    const [first, second] = own.sort((a, b) => b.named - a.named || b.ids - a.ids);
    const isDoubtful = first!.named === 0 && second !== undefined && second.reference.type !== first!.reference.type;
    return isDoubtful ? [] : [first!.reference];
  });
  return references.filter((one) => !references.some((other) => isWithin(one, other)));
}

/** True if enough values are ids of the type in the sample or, if the names say so, texts of the same shape. */
function isReference(kind: Kind, id: readonly Field[], target: Target, named: number): boolean {
  const values = kind.items.flatMap((_, i) => idAt(kind, id, i) ?? []);
  const known = values.filter((value) => target.ids.has(value)).length;
  if (named === 2) {
    const forms = new Set([...target.ids].map(shapeOf));
    const alike = values.filter((value) => target.ids.has(value) || forms.has(shapeOf(value))).length;
    return values.length > 0 && alike >= values.length * SHARE;
  }
  if (named === 1) return known > 0 && known >= values.length * SHARE_BY_FIELD;
  return values.length >= ENOUGH && known >= values.length * SHARE;
}

function shapeOf(text: string): string {
  const isHex = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  return isHex ? 'uuid' : text.replace(/\d{1,1024}/g, '9').replace(/[a-z]{1,1024}/gi, 'a');
}

function isSameAsOwn(kind: Kind, id: readonly Field[]): boolean {
  const same = kind.items.filter((_, i) => {
    const value = idAt(kind, id, i);
    return value !== undefined && value === idAt(kind, kind.key, i);
  });
  return same.length * 2 > kind.items.length;
}

/** Returns two nodes whose ids make up a kind's keys, so that the kind's items are edges. */
function endsIn({ key }: Kind, references: readonly Reference[]): [Reference, Reference] | undefined {
  const inKey = references.filter(({ id }) => id.every((field) => key.includes(field)));
  for (const from of inKey) {
    if (!from.id.includes(key[0]!)) continue;
    const rest = key.filter((field) => !from.id.includes(field));
    const to = inKey.find(({ id }) => id.length === rest.length && rest.every((field) => id.includes(field)));
    if (to !== undefined && rest.length > 0) return [from, to];
  }
  return undefined;
}

function idAt({ columns }: Kind, id: readonly Field[], at: number): string | undefined {
  const texts = id.map((field) => columns.get(field)?.[at]);
  return texts.includes(undefined) ? undefined : texts.join('\0');
}

function isSame(left: Field, right: Field): boolean {
  const isAlike = (left.place === undefined) === (right.place === undefined) && left.prefix === right.prefix;
  return left.name === right.name && isAlike;
}

function isNamedAs({ name }: Field, type: string): boolean {
  const bare = typeNameOf(withoutId(name));
  return bare === type || bare.endsWith(`_${type}`);
}

function isWithin(one: Reference, other: Reference): boolean {
  return one.id.length < other.id.length && one.id.every((field) => other.id.includes(field));
}

function nameOf({ type, id }: Reference): string {
  return JSON.stringify([type, id.map(({ name, place, prefix }) => [name, place ?? null, prefix ?? null])]);
}

function nameOfKind({ mark, forms }: Kind, from: Reference, to: Reference): string {
  const words = (forms?.[1] ?? []).flatMap((word) => (word === undefined || word === '' ? [] : typeNameOf(word)));
  const word = words.find((one) => one !== to.type && one !== from.type);
  return mark === undefined ? (word ?? `${from.type}_${to.type}`) : typeNameOf(mark.value);
}

function nameOfEdge(type: string, { type: to, id }: Reference): string {
  const [field] = id.slice(-1) as [Field];
  const isOfType = field.place !== undefined || field.isOfIndex || id.length > 1 || isNamedAs(field, to);
  return typeNameOf(`${type}_${isOfType ? to : wordsOf(field.name.replace(/[_-]?id$/i, '')).join('_') || to}`);
}
