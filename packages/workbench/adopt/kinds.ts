import { bySeparator, type KeyForm, keyForms, patternOf, separatorOf } from './key-forms.ts';
import type { Mark, SampledItem } from './sampled-item.ts';
import { grouped, isOfWord, tally, typeNameOf, wordsOf } from './texts.ts';

/** Puts the items of a sample into kinds, and finds which of their fields make their keys. */

/** A field of an item: an attribute, or a place of its keys. */
export interface Field {
  name: string;
  /** The number of the place; of an attribute undefined. */
  place?: number;
  /** The words before the id, if an attribute holds a whole key: `TEAM#` of `TEAM#7`. */
  prefix?: string;
  /** Says that the attribute is a key of an index. */
  isOfIndex?: boolean;
}

/** The items of one kind. */
export interface Kind {
  items: readonly SampledItem[];
  /** A name for it, in the form of a type's. */
  name: string;
  mark?: Mark;
  /** The version of its ElectroDB entity. */
  version?: string;
  /** The forms of its keys, where no library says which attributes make them. */
  forms?: readonly [KeyForm, KeyForm];
  /** Says that the two keys are the same text. */
  isSelf?: boolean;
  patterns?: readonly [RegExp, RegExp];
  /** The separator of its keys; of a library's kinds none. */
  separator: string;
  /** The fields that tell its items apart. */
  key: readonly Field[];
  /** The texts of its fields, by item; of one that an item lacks none. */
  columns: Map<Field, readonly (string | undefined)[]>;
  unsure: string[];
}

/** Names of the key attributes. */
export type KeyNames = readonly [partition: string, sort?: string];

/** The layouts that a mapping of the package knows. */
export const LIBRARIES = { __edb_e__: 'fromElectroDB', _type: 'fromOneTable', _et: 'fromToolbox' } as const;
/** The attribute by which one of them names its entities. */
export type Library = keyof typeof LIBRARIES;

/** The share of the items that has to have a library's attribute. */
const SHARE_OF_LIBRARY = 0.25;
/** Words that the sort keys of nodes often are. */
const NODE_WORDS: ReadonlySet<string> = new Set([
  'META',
  'METADATA',
  'PROFILE',
  'INFO',
  'DETAILS',
  'DATA',
  'ROOT',
  'SELF',
  'A',
  '',
]);

/** The library that wrote a table; undefined: none that is known. */
export function libraryOf(items: readonly SampledItem[]): Library | undefined {
  const counted = [...tally(items.flatMap(({ mark }) => mark?.attribute ?? []))].sort(([, a], [, b]) => b - a);
  return counted.find(
    ([name, count]) => Object.hasOwn(LIBRARIES, name) && count >= items.length * SHARE_OF_LIBRARY,
  )?.[0] as Library | undefined;
}

/** The kinds of a library's items: one for each of its entities, by version. Items without an entity are of none. */
export function kindsOfLibrary(items: readonly SampledItem[], library: Library, keys: KeyNames): Kind[] {
  const own = items.filter(({ mark }) => mark?.attribute === library);
  return [...grouped(own, ({ mark, item }) => JSON.stringify([mark!.value, item['__edb_v__']])).values()].map(
    (items) => {
      const [{ mark, item }] = items as [SampledItem];
      const version = item['__edb_v__'];
      const columns = columnsOf(items);
      const found = keyByAttributes(items, columns, library === '__edb_e__');
      const whole = keys.flatMap((name, i): Field[] => {
        if (name === undefined) return [];
        const field = { name };
        columns.set(
          field,
          items.map((one) => one.keys[i]),
        );
        return [field];
      });
      return {
        ...{ items, name: typeNameOf(mark!.value), separator: '', columns, key: found ?? whole, mark: mark! },
        ...(version !== undefined && 'S' in version && { version: version.S }),
        unsure: found === undefined ? ['its attributes do not tell what makes its keys, so ids are the keys'] : [],
      };
    },
  );
}

/** The kinds of items by the forms of their keys, those with most words first: a form without words takes all keys. */
export function kindsByKeys(items: readonly SampledItem[], keys: KeyNames): { kinds: Kind[]; separator: string } {
  const bySign = bySeparator(items);
  const found = new Map(bySign.flatMap(([separator, own]) => [...keyForms(own, separator)]));
  const separators = new Map(bySign.flatMap(([separator, own]) => own.map((item) => [item, separator] as const)));
  const isSelf = ({ keys: [source, target] }: SampledItem): boolean => source === target;
  const groups = grouped(items, (item) => {
    const { forms } = found.get(item)!;
    return JSON.stringify([
      forms.map((form) => form.map((word) => word ?? null)),
      item.mark ?? null,
      isSelf(item),
      separators.get(item),
    ]);
  });
  const kinds = [...groups.values()].map((items): Kind => {
    const [first] = items as [SampledItem];
    const { forms } = found.get(first)!;
    const separator = separators.get(first)!;
    const columns = columnsOf(items);
    const places = placesOf(forms, keys).map((field, i) => {
      columns.set(
        field,
        items.map((item) => found.get(item)!.values[i]),
      );
      return field;
    });
    const isRepeated = (field: Field, i: number): boolean =>
      places.slice(0, i).some((other) => columns.get(other)!.every((text, at) => text === columns.get(field)![at]));
    const { mark } = first;
    return {
      ...{ items, forms, separator, columns, isSelf: isSelf(first), ...(mark && { mark }) },
      name: typeNameOf(mark?.value ?? ''),
      patterns: [patternOf(forms[0], separator), patternOf(forms[1], separator)],
      // A sort key may have the text of its partition again.
      key: items.length === 1 && !isSelf(first) ? places : places.filter((field, i) => !isRepeated(field, i)),
      unsure: [
        ...(items.length === 1 ? ['the sample has one such item: what varies in its keys is a guess'] : []),
        ...(mark === undefined && !isSelf(first) && forms.flat().every((word) => word === undefined)
          ? ['nothing in its keys tells its kind, so it takes every item that is of no other one']
          : []),
      ],
    };
  });
  nameKinds(kinds, keys);
  const prefixes = new Set(kinds.flatMap((kind) => prefixOf(kind) ?? []));
  for (const kind of kinds) addKeysHeld(kind, prefixes);
  return { kinds: kinds.sort((a, b) => rank(b) - rank(a)), separator: separatorOf(items) };
}

/** The words before the id in the partition key of nodes; undefined if there are others. */
export function prefixOf(kind: Kind): string | undefined {
  const words = kind.forms?.[0].slice(0, -1) ?? [];
  if (!isOfPartition(kind) || words.length === 0 || words.includes(undefined)) return undefined;
  return `${words.join(kind.separator)}${kind.separator}`;
}

/** Adds fields for the ids within attributes, and keys of indexes, that hold whole keys of nodes. */
function addKeysHeld({ items, columns }: Kind, prefixes: ReadonlySet<string>): void {
  const ofIndexes = [...items[0]!.indexKeys.keys()].map((name): [Field, (string | undefined)[]] => [
    { name, isOfIndex: true },
    items.map(({ indexKeys }) => indexKeys.get(name)),
  ]);
  for (const [field, column] of [...columns, ...ofIndexes]) {
    if (field.place !== undefined) continue;
    const held = new Map<string, (string | undefined)[]>();
    for (const [i, text] of column.entries()) {
      const prefix = text && beginningIn(prefixes, text);
      if (!prefix) continue;
      const ids = held.get(prefix) ?? Array.from<undefined>({ length: column.length });
      ids[i] = text.slice(prefix.length);
      held.set(prefix, ids);
    }
    for (const [prefix, ids] of held) columns.set({ ...field, prefix }, ids);
  }
}

/** The longest of some prefixes with which a text begins, something behind it. */
function beginningIn(prefixes: ReadonlySet<string>, text: string): string | undefined {
  let found: string | undefined;
  for (let at = 1, looks = 0; at < text.length && looks < MOST_LOOKS; at++) {
    // A prefix ends with a separator.
    if (isOfWord(text[at - 1])) continue;
    looks += 1;
    if (prefixes.has(text.slice(0, at))) found = text.slice(0, at);
  }
  return found;
}

/** Says if the items of a kind are the nodes of their partitions: their keys have no more than these. */
export function isOfPartition({ forms, key }: Kind): boolean {
  return forms !== undefined && key.length === 1 && forms[0].includes(undefined);
}

/** The name of the nodes of partitions of a form. */
export function partitionName(form: KeyForm, [partitionKey]: KeyNames): string {
  const word = form.findLast((one) => one !== undefined && one !== '');
  return typeNameOf(wordsOf(word ?? '').at(-1) ?? (/^(pk|hash|id)$/i.test(partitionKey) ? 'NODE' : partitionKey));
}

function rank({ forms, isSelf, mark }: Kind): number {
  const words = forms!.flat().filter((one) => one !== undefined).length;
  return words * 4 + (mark === undefined ? 0 : 2) + (isSelf === true ? 1 : 0);
}

/** The attributes of items as columns. One pass: there may be as many names as items. */
function columnsOf(items: readonly SampledItem[]): Map<Field, (string | undefined)[]> {
  const columns = new Map<string, (string | undefined)[]>();
  items.forEach(({ texts }, i) => {
    for (const [name, text] of texts) {
      const column = columns.get(name) ?? [];
      column[i] = text;
      columns.set(name, column);
    }
  });
  return new Map([...columns].map(([name, column]) => [{ name }, column]));
}

/** The places of two keys, each with the word before it as its name. */
function placesOf(forms: readonly KeyForm[], keys: KeyNames): Field[] {
  let place = 0;
  return forms.flatMap((form, i) => {
    let name = keys[i]!;
    return form.flatMap((word) => {
      if (word !== undefined) {
        if (word !== '') name = word;
        return [];
      }
      place += 1;
      return [{ name, place: place - 1 }];
    });
  });
}

/** The attributes whose values, and only they, vary in the keys of items, in the order of the keys; undefined where there are others. */
function keyByAttributes(
  items: readonly SampledItem[],
  columns: ReadonlyMap<Field, readonly (string | undefined)[]>,
  isLower: boolean,
): Field[] | undefined {
  const fold = (text: string): string => (isLower ? text.toLowerCase() : text);
  const whole = items.map(({ keys }) => fold(keys.join('\0')));
  let rests = whole;
  const found: { field: Field; at: number }[] = [];
  const candidates = [...columns].flatMap(([field, column]) => {
    const texts = Array.from(items, (_, i) => fold(column[i] ?? ''));
    const label = (field.name.replace(/[_-]?id$/i, '') || field.name).toLowerCase();
    const places = texts.map((text, i) => placeIn(whole[i]!, text, label));
    if (places.some((place) => place === undefined)) return [];
    // A value that all have may be in the keys by chance.
    const varies = new Set(texts).size > 1 || /\d/.test(texts[0]!);
    const { isNamed } = places[0]!;
    return isNamed || varies ? [{ field, texts, label, isNamed }] : [];
  });
  candidates.sort((a, b) => Number(b.isNamed) - Number(a.isNamed));
  for (const { field, texts, label } of candidates) {
    const places = texts.map((text, i) => placeIn(rests[i]!, text, label));
    if (places.some((place) => place === undefined)) continue;
    rests = rests.map((rest, i) => {
      const { at, end } = places[i]!;
      return rest.slice(0, at) + FOUND.repeat(end - at) + rest.slice(end);
    });
    found.push({ field, at: places[0]!.at });
  }
  const constant = new Set(rests.map((rest) => rest.replace(/\u0001{1,1024}/g, FOUND)));
  if (found.length === 0 || constant.size > 1) return undefined;
  return found.sort((a, b) => a.at - b.at).map(({ field }) => field);
}

/** A character that replaces those of an attribute that is found. */
const FOUND = '\u0001';

/**
 * A place of a text in keys between characters that are of no word: the one behind a label, or else the first one. A number may have zeros
 * before it.
 */
function placeIn(keys: string, text: string, label: string): { at: number; end: number; isNamed: boolean } | undefined {
  if (text === '') return undefined;
  const isOfWord = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  let first: { at: number; end: number; isNamed: boolean } | undefined;
  for (
    let at = keys.indexOf(text), looks = 0;
    at >= 0 && looks < MOST_LOOKS;
    at = keys.indexOf(text, at + 1), looks++
  ) {
    const end = at + text.length;
    let start = at;
    if (/^\d+$/.test(text)) while (keys[start - 1] === '0') start -= 1;
    if (isOfWord(keys[start - 1]) || isOfWord(keys[end])) continue;
    const before = wordsOf(keys.slice(Math.max(0, start - 100), start).toLowerCase()).at(-1);
    const found = { at: start, end, isNamed: before?.startsWith(label) === true };
    if (found.isNamed) return found;
    first ??= found;
  }
  return first;
}

/** Places of a text that are looked at. */
const MOST_LOOKS = 20;

/** Names the kinds without a mark: the nodes of partitions by the words of their partition keys, others by those of their sort keys. */
function nameKinds(kinds: readonly Kind[], keys: KeyNames): void {
  const nameless = kinds.filter(({ mark }) => mark === undefined);
  for (const kind of nameless) {
    const word = kind.forms![1].filter((one) => one !== undefined && one !== '').at(-1);
    const own = kind.forms![0].filter((one) => one !== undefined && one !== '').at(-1);
    // A partition of which there is one tells what its items are.
    const isOne = own !== undefined && !kind.forms![0].includes(undefined);
    kind.name = typeNameOf(word ?? (isOfPartition(kind) ? '' : isOne ? own : (keys[1] ?? own ?? 'ITEM')));
  }
  for (const own of grouped(nameless.filter(isOfPartition), ({ forms }) => JSON.stringify(forms![0])).values()) {
    const name = partitionName(own[0]!.forms![0], keys);
    const likelihood = (kind: Kind): number => {
      const word = kind.forms![1].filter((one) => one !== undefined && one !== '').at(-1) ?? '';
      const isLikely = kind.isSelf === true || NODE_WORDS.has(word.toUpperCase()) || typeNameOf(word) === name;
      return kind.items.length + (isLikely ? 1e6 : 0);
    };
    const [main] = own.sort((a, b) => likelihood(b) - likelihood(a));
    main!.name = name;
  }
}
