import { bySeparator, type KeyForm, type KeyForms, keyForms, patternOf, separatorOf } from './key-forms.ts';
import type { Mark, SampledItem } from './sampled-item.ts';
import { grouped, isOfWord, tally, typeNameOf, withoutId, wordsOf } from './texts.ts';

export interface Field {
  name: string;
  /** Index among the variable parts of both keys. Undefined for an attribute. */
  place?: number;
  /** The text before the id, if the attribute holds a whole key: `TEAM#` in `TEAM#7`. */
  prefix?: string;
  isOfIndex?: boolean;
}

export interface Kind {
  items: readonly SampledItem[];
  name: string;
  mark?: Mark;
  version?: string;
  /** Absent if a library says which attributes make up the keys. */
  forms?: readonly [KeyForm, KeyForm];
  isSelf?: boolean;
  patterns?: readonly [RegExp, RegExp];
  /** Empty if a library wrote the items. */
  separator: string;
  key: readonly Field[];
  /** For each field, its text in each item. */
  columns: Map<Field, readonly (string | undefined)[]>;
  unsure: string[];
}

export type KeyNames = readonly [partition: string, sort?: string];

/** The attribute by which each library marks its items, and Edgeloom's mapping for the library. */
export const LIBRARIES = { __edb_e__: 'fromElectroDB', _type: 'fromOneTable', _et: 'fromToolbox' } as const;
export type Library = keyof typeof LIBRARIES;

/** Minimum share of items with a library's attribute. */
const SHARE_OF_LIBRARY = 0.25;
/** Common sort keys of nodes. */
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

export function libraryOf(items: readonly SampledItem[]): Library | undefined {
  const counted = [...tally(items.flatMap(({ mark }) => mark?.attribute ?? []))].sort(([, a], [, b]) => b - a);
  return counted.find(
    ([name, count]) => Object.hasOwn(LIBRARIES, name) && count >= items.length * SHARE_OF_LIBRARY,
  )?.[0] as Library | undefined;
}

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

/** Sorts kinds with most words first, because a form without words matches all keys. */
export function kindsByKeys(items: readonly SampledItem[], keys: KeyNames): { kinds: Kind[]; separator: string } {
  const bySign = bySeparator(items);
  const formed = new Map(bySign.flatMap(([separator, own]) => [...keyForms(own, separator)]));
  const separators = new Map(bySign.flatMap(([separator, own]) => own.map((item) => [item, separator] as const)));
  const groups = grouped(items, (item) => {
    const forms = formed.get(item)!.forms.map((form) => form.map((word) => word ?? null));
    return JSON.stringify([forms, item.mark ?? null, hasEqualKeys(item), separators.get(item)]);
  });
  const kinds = [...groups.values()].map((own) => kindOfGroup(own, formed, separators.get(own[0]!)!, keys));
  nameKinds(kinds, keys);
  const prefixes = new Set(kinds.flatMap((kind) => prefixOf(kind) ?? []));
  for (const kind of kinds) addKeysHeld(kind, prefixes);
  return { kinds: kinds.sort((a, b) => rank(b) - rank(a)), separator: separatorOf(items) };
}

function hasEqualKeys({ keys: [source, target] }: SampledItem): boolean {
  return source === target;
}

function kindOfGroup(
  items: readonly SampledItem[],
  formed: ReadonlyMap<SampledItem, KeyForms>,
  separator: string,
  keys: KeyNames,
): Kind {
  const [first] = items as [SampledItem];
  const { mark } = first;
  const { forms } = formed.get(first)!;
  const isSelf = hasEqualKeys(first);
  const isSingle = items.length === 1;
  const columns = columnsOf(items);
  const places = placesOf(forms, keys);
  for (const [i, field] of places.entries()) {
    columns.set(
      field,
      items.map((item) => formed.get(item)!.values[i]),
    );
  }
  const isRepeated = (field: Field, i: number): boolean =>
    places.slice(0, i).some((other) => columns.get(other)!.every((text, at) => text === columns.get(field)![at]));
  const isUntold = mark === undefined && !isSelf && forms.flat().every((word) => word === undefined);
  return {
    ...{ items, forms, separator, columns, isSelf, ...(mark && { mark }) },
    name: typeNameOf(mark?.value ?? ''),
    patterns: [patternOf(forms[0], separator), patternOf(forms[1], separator)],
    // A sort key may repeat a part of its partition key.
    key: isSingle && !isSelf ? places : places.filter((field, i) => !isRepeated(field, i)),
    unsure: [
      ...(isSingle ? ['the sample has one such item: what varies in its keys is a guess'] : []),
      ...(isUntold ? ['nothing in its keys tells its kind, so it takes every item that is of no other one'] : []),
    ],
  };
}

/** Returns the text before the id in partition keys of nodes, or undefined if it varies or there is none. */
export function prefixOf(kind: Kind): string | undefined {
  const words = kind.forms?.[0].slice(0, -1) ?? [];
  if (!isOfPartition(kind) || words.length === 0 || words.includes(undefined)) return undefined;
  return `${words.join(kind.separator)}${kind.separator}`;
}

/** Adds fields for whole node keys inside attributes and index keys. */
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

function beginningIn(prefixes: ReadonlySet<string>, text: string): string | undefined {
  let found: string | undefined;
  for (let at = 1, looks = 0; at < text.length && looks < MOST_LOOKS; at++) {
    // Prefixes end with a separator.
    if (isOfWord(text[at - 1])) continue;
    looks += 1;
    if (prefixes.has(text.slice(0, at))) found = text.slice(0, at);
  }
  return found;
}

/** True if the items are the nodes of their partitions: the sort key is fixed or repeats the partition key's place. */
export function isOfPartition({ forms, key }: Kind): boolean {
  return forms !== undefined && key.length === 1 && forms[0].includes(undefined);
}

export function partitionName(form: KeyForm, [partitionKey]: KeyNames): string {
  return typeNameOf(
    wordsOf(lastWord(form) ?? '').at(-1) ?? (/^(pk|hash|id)$/i.test(partitionKey) ? 'NODE' : partitionKey),
  );
}

function lastWord(form: KeyForm): string | undefined {
  return form.findLast((one) => one !== undefined && one !== '');
}

function rank({ forms, isSelf, mark }: Kind): number {
  const words = forms!.flat().filter((one) => one !== undefined).length;
  return words * 4 + (mark === undefined ? 0 : 2) + (isSelf === true ? 1 : 0);
}

/** Makes one pass over the items, since there may be as many names as items. */
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

/** Returns the attributes that the keys consist of, in order, or undefined if anything else varies in the keys. */
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
    const label = withoutId(field.name).toLowerCase();
    const places = texts.map((text, i) => placeIn(whole[i]!, text, label));
    if (places.some((place) => place === undefined)) return [];
    // A constant value may be in the keys by chance.
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

/** Stand-in for the text of a found attribute. */
const FOUND = '\u0001';

/** Finds the text between separators, preferably after its label. Keys may pad a number with zeros. */
function placeIn(keys: string, text: string, label: string): { at: number; end: number; isNamed: boolean } | undefined {
  if (text === '') return undefined;
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

const MOST_LOOKS = 20;

/**
 * Names kinds without a mark by a word of the sort key, and a partition's likeliest node by a word of the partition
 * key.
 */
function nameKinds(kinds: readonly Kind[], keys: KeyNames): void {
  const nameless = kinds.filter(({ mark }) => mark === undefined);
  for (const kind of nameless) {
    const word = lastWord(kind.forms![1]);
    const own = lastWord(kind.forms![0]);
    // If there's only one partition, its name describes its items.
    const isOne = own !== undefined && !kind.forms![0].includes(undefined);
    kind.name = typeNameOf(word ?? (isOfPartition(kind) ? '' : isOne ? own : (keys[1] ?? own ?? 'ITEM')));
  }
  for (const own of grouped(nameless.filter(isOfPartition), ({ forms }) => JSON.stringify(forms![0])).values()) {
    const name = partitionName(own[0]!.forms![0], keys);
    const likelihood = (kind: Kind): number => {
      const word = lastWord(kind.forms![1]) ?? '';
      const isLikely = kind.isSelf === true || NODE_WORDS.has(word.toUpperCase()) || typeNameOf(word) === name;
      return kind.items.length + (isLikely ? 1e6 : 0);
    };
    const [main] = own.sort((a, b) => likelihood(b) - likelihood(a));
    main!.name = name;
  }
}
