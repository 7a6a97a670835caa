import { type AttributeValue, type Item, stringOf } from '../../core/items/attribute-value.ts';
import {
  ATTRIBUTES,
  COPIES,
  EDGE_SET,
  INDEX_NAMES,
  QUARANTINE_FIELDS,
  valueIn,
} from '../../core/items/derived-item.ts';
import { type KeyEnd, parseDerivedKey } from '../../core/items/derived-key.ts';
import { decodeElement } from '../../core/items/element.ts';
import { isHashedName, TARGET_ID } from '../../core/items/hashed-key.ts';
import { edgeSortKey, hash128, isDerivedKey, isServicePartition, typePrefix } from '../../core/items/keys.ts';
import { valuesNamedBy } from '../../core/items/ledger.ts';
import { quarantineEntry } from '../../core/kinds/quarantine-entry.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { WalkedItem } from '../../store/table-walk.ts';

/**
 * Keys and elements are parsed, so `USER-1` isn't found in `USER-12` or `USER-1.5`. Producers' attributes, attribute
 * names, and keys of types outside the model may contain the id anywhere.
 */

const VALUES: ReadonlySet<string> = new Set(INDEX_NAMES.map(valueIn));

/** The relation of an item to the subject. */
export type SubjectRole =
  /** A base item in the subject's partition, or an edge that ends at the subject. */
  | { kind: 'base' }
  /** A quarantine entry for a base item of the subject, or for a derived item that names the subject. */
  | { kind: 'entry' }
  /** A derived item in the subject's partition, or one that names the subject in its key, an element or a copy. */
  | { kind: 'derived' }
  /** An unrelated item with the id in an attribute. `isSure`: the id stands alone in the value. */
  | { kind: 'mention'; attributes: readonly string[]; isSure: boolean };

/** How a string names the subject: `sure` by its exact id, `perhaps` by a longer id that contains it. */
export type Naming = 'sure' | 'perhaps';

/** Next to one of these characters, the id is part of another word. */
const WORD = /[\p{L}\p{N}_\ud800-\udfff]/u;
/** Characters that may continue an id: `USER-1.5`, `USER-1-2`. */
const MAY_GO_ON = new Set(['-', '.', '@', '+', '~', ':', '%']);
/** Characters that end a sentence if no word follows. */
const OF_SENTENCES = new Set(['.', ':']);

/** Finds the id of one node in items. */
export class SubjectNames {
  /** The id unchanged, and as JSON escapes it. */
  private readonly forms: readonly string[];
  private readonly hash: string;
  /** Derived keys contain these hashes if the edge's key would be too long. */
  private readonly edgeHashes: ReadonlySet<string>;

  private readonly keys: ReadonlySet<string>;

  constructor(
    readonly id: string,
    private readonly graph: CompiledModel,
  ) {
    const { table, edges } = graph;
    this.keys = new Set([table.partitionKey, table.sortKey]);
    this.forms = [...new Set([id, JSON.stringify(id).slice(1, -1)])];
    this.hash = hash128(id);
    this.edgeHashes = new Set([...edges.keys()].map((type) => hash128(edgeSortKey(type, id))));
  }

  roleOf({ source, target, item }: WalkedItem): SubjectRole | undefined {
    // An entry's tombstone is treated like any other derived item.
    const isEntry = parseDerivedKey(target)?.kind === 'quarantine-entry' && quarantineEntry.isLive(item);
    if (source === this.id) return { kind: isEntry ? 'entry' : isDerivedKey(target) ? 'derived' : 'base' };
    if (isServicePartition(source)) return this.mentionOf(item, this.namingInReport);
    if (!isDerivedKey(target)) {
      if (this.isEdgeKey(target)) return { kind: 'base' };
      const { [TARGET_ID]: targetId, ...others } = item;
      // A hashed key's target is a whole id, so only an exact match counts.
      const isOfKey = isHashedName(target.slice(target.indexOf('-') + 1)) && stringOf(targetId) !== this.id;
      if (classifyKey(this.graph, source, target).kind !== 'unknown')
        return this.mentionOf(isOfKey ? others : item, this.namingInText);
      return this.mentionOf(item, this.namingInText, { withKeys: true });
    }
    if (isEntry) {
      const of = stringOf(item[QUARANTINE_FIELDS.of]) ?? '';
      const isOfSubject = this.isNamedByKey(target) || this.isEdgeKey(of) || stringOf(item['in']) === this.id;
      return isOfSubject ? { kind: 'entry' } : this.mentionOf(item, this.namingInText);
    }
    if (this.isNamedByKey(target) || this.showsSubject(item)) return { kind: 'derived' };
    // Keys and elements name whole ids. Groups and values of base items may contain the id within a longer string.
    return this.mentionOf(item, (text, name) => {
      const isOfBase = name === ATTRIBUTES || VALUES.has(name);
      return text === this.id || (isOfBase && this.namingIn(text) === 'sure') ? 'sure' : undefined;
    });
  }

  /**
   * Returns items whose keys name the subject in full. Of other items, returns only the keys, and the attributes,
   * entries and elements that name the subject.
   */
  excerptOf(walked: WalkedItem): Item {
    const { source, target, item } = walked;
    const isWhole = source === this.id || this.isEdgeKey(target) || (isDerivedKey(target) && this.isNamedByKey(target));
    if (isWhole) return item;
    const excerpt: Item = {};
    for (const [name, value] of Object.entries(item)) {
      if (this.keys.has(name)) excerpt[name] = value;
      const isNamed = this.namingIn(name) === 'sure' || this.namesGroup(name, value);
      const part = isNamed ? value : name === EDGE_SET ? this.excerptOfSet(value) : this.excerptOfValue(value);
      if (part !== undefined) excerpt[name] = part;
    }
    return excerpt;
  }

  /** Tells whether a JSON value contains a string or an item's key that names the subject. */
  isNamedIn(value: unknown): boolean {
    if (typeof value === 'string')
      return this.namingInReport(value) === 'sure' || this.isEdgeKey(value) || this.isNamedByKey(value);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([name, entry]) => this.namingIn(name) === 'sure' || this.isNamedIn(entry));
  }

  namingIn(text: string): Naming | undefined {
    let found: Naming | undefined;
    for (const form of this.forms) {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
        const naming = certaintyOfNameAt(text, at, at + form.length);
        if (naming === 'sure') return naming;
        found ??= naming;
      }
    }
    return found;
  }

  /** Accepts the sort key of a base item, or an edge in a view. */
  private isEdgeKey(sortKey: string): boolean {
    const type = typePrefix(sortKey);
    if (type === undefined) return false;
    const name = sortKey.slice(type.length + 1);
    return name === this.id || (isHashedName(name) && name === `#${this.hash}`);
  }

  private isNamedByKey(sortKey: string): boolean {
    const key = parseDerivedKey(sortKey);
    if (key !== undefined && 'source' in key) return this.isValue(key.source);
    switch (key?.kind) {
      case 'quarantine-entry':
        return this.isEdgeEnd(key.target) || (key.target.hash === undefined && this.isNamedByKey(key.target.text));
      case 'index-item':
        if (key.of === 'edge') return this.isEdgeEnd(key.edge);
        return key.of === 'search' && key.value !== undefined && this.isNamedByValue(key.value);
      default:
        return false;
    }
  }

  private isEdgeEnd({ text, hash }: KeyEnd): boolean {
    return hash === undefined ? this.isEdgeKey(text) : this.edgeHashes.has(hash);
  }

  private isNamedByValue(value: KeyEnd): boolean {
    return this.isValue(value) || (value.hash === undefined && this.namingIn(value.text) === 'sure');
  }

  private isValue({ text, hash }: KeyEnd): boolean {
    return hash === undefined ? text === this.id : hash === this.hash;
  }

  private showsSubject(item: Item): boolean {
    const set = item[EDGE_SET];
    const copies = item[COPIES];
    if (set !== undefined && 'SS' in set && set.SS.some((element) => this.isElement(element))) return true;
    return copies !== undefined && 'M' in copies && Object.keys(copies.M).some((key) => this.isEdgeKey(key));
  }

  private isElement(element: string): boolean {
    return decodeElement(element)?.target === this.id;
  }

  /** In the observer's report, a type tag (`/S`) precedes a group's value. */
  private readonly namingInReport = (text: string): Naming | undefined =>
    this.namingIn(text) ?? this.namingIn(text.replaceAll('/S', '/'));

  private readonly namingInText = (text: string): Naming | undefined => this.namingIn(text);

  private namesGroup(name: string, value: AttributeValue): boolean {
    return valuesNamedBy(name, value).some((text) => this.namingIn(text) === 'sure');
  }

  /** @param options `withKeys` also searches the keys, which are ordinary text for types outside the model. */
  private mentionOf(
    item: Item,
    namingIn: (text: string, attribute: string) => Naming | undefined,
    { withKeys = false } = {},
  ): SubjectRole | undefined {
    const attributes: string[] = [];
    let isSure = false;
    for (const [name, value] of Object.entries(item)) {
      if (this.keys.has(name) && !withKeys) continue;
      let naming = this.namesGroup(name, value) ? 'sure' : this.namingIn(name);
      for (const text of textsIn(value)) {
        if (naming === 'sure') break;
        naming = namingIn(text, name) ?? naming;
      }
      if (naming === undefined) continue;
      attributes.push(name);
      isSure ||= naming === 'sure';
    }
    return attributes.length === 0 ? undefined : { kind: 'mention', attributes: attributes.sort(), isSure };
  }

  private excerptOfSet(edgeSet: AttributeValue): AttributeValue | undefined {
    const elements = 'SS' in edgeSet ? edgeSet.SS.filter((element) => this.isElement(element)) : [];
    return elements.length === 0 ? undefined : { SS: elements };
  }

  private excerptOfValue(value: AttributeValue): AttributeValue | undefined {
    if ('SS' in value) {
      const texts = value.SS.filter((text) => this.namingIn(text) === 'sure');
      return texts.length === 0 ? undefined : { SS: texts };
    }
    if ('L' in value) {
      const entries = value.L.map((entry) => this.excerptOfValue(entry)).filter((entry) => entry !== undefined);
      return entries.length === 0 ? undefined : { L: entries };
    }
    if ('M' in value) {
      const entries = Object.entries(value.M).map(([name, entry]): [string, AttributeValue | undefined] =>
        this.isEdgeKey(name) || name === this.id ? [name, entry] : [name, this.excerptOfValue(entry)],
      );
      const named = entries.filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined);
      return named.length === 0 ? undefined : { M: Object.fromEntries(named) };
    }
    return [...textsIn(value)].some((text) => this.namingIn(text) === 'sure') ? value : undefined;
  }
}

function* textsIn(value: AttributeValue): Generator<string> {
  if ('S' in value) yield value.S;
  else if ('SS' in value) yield* value.SS;
  else if ('B' in value) yield Buffer.from(value.B).toString('utf8');
  else if ('BS' in value) for (const bytes of value.BS) yield Buffer.from(bytes).toString('utf8');
  else if ('L' in value) for (const entry of value.L) yield* textsIn(entry);
  else if ('M' in value) {
    for (const [name, entry] of Object.entries(value.M)) {
      yield name;
      yield* textsIn(entry);
    }
  }
}

function certaintyOfNameAt(text: string, from: number, to: number): Naming | undefined {
  const [before, after] = [text[from - 1] ?? '', text[to] ?? ''];
  if (WORD.test(before) || WORD.test(after)) return undefined;
  const beginsId = !MAY_GO_ON.has(before) || (before === '-' && endsWithType(text, from - 1));
  const endsId = !MAY_GO_ON.has(after) || (OF_SENTENCES.has(after) && /^\s?$/.test(text[to + 1] ?? ''));
  return beginsId && endsId ? 'sure' : 'perhaps';
}

/** Tells whether a whole type name precedes a dash: `USER` does in `x USER-1`, but not in `mUSER-1`. */
function endsWithType(text: string, dash: number): boolean {
  let at = dash;
  while (at > 0 && /[A-Z0-9_]/.test(text[at - 1]!)) at -= 1;
  const before = text[at - 1] ?? '';
  return /[A-Z]/.test(text[at] ?? '') && at < dash && !WORD.test(before) && !MAY_GO_ON.has(before);
}
