import { type AttributeValue, type Item, setOwn, stringOf } from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS, valueIn } from '../../../core/items/derived-item.ts';
import { decodeNumber, encodedValueOf, segmentsOf } from '../../../core/items/encoding.ts';
import { type Filter, type FilterTerm, passesFilter } from '../../../core/items/filter.ts';
import type { CompiledModel, InboundOrder, IndexName, OrderPart, SearchModel } from '../../../core/model/compiled.ts';
import { encodeWhere, isProjected, type Where, type WhereSubject } from '../request/where.ts';

/**
 * Attributes that rows hold in their index keys or as a search's value. DynamoDB can't filter by index keys, so the
 * reader does.
 */
export interface KeptValues {
  names: readonly string[];
  of(item: Item): Item;
}

/** Excludes derived values, and dates, which the key holds in another form. */
export function valuesOfOrder({ table }: CompiledModel, { index, order }: InboundOrder): KeptValues {
  const parts = order.kind === 'parts' ? order.parts : [order];
  const named = parts.map(keptPart);
  return {
    names: named.flatMap((part) => part?.attribute ?? []),
    of(item) {
      const key = stringOf(item[INDEX_KEYS[index].sort]) ?? '';
      const encoded = encodedValueOf(key, stringOf(item[table.partitionKey]) ?? '');
      const texts = order.kind === 'parts' ? segmentsOf(encoded) : [encoded];
      const values: Item = {};
      for (const [i, text] of texts.entries()) {
        const part = named[i];
        if (part !== undefined && !Object.hasOwn(values, part.attribute))
          setOwn(values, part.attribute, part.valueOf(text));
      }
      return values;
    },
  };
}

interface KeptPart {
  attribute: string;
  valueOf(encoded: string): AttributeValue;
}

function keptPart(part: OrderPart): KeptPart | undefined {
  if (part.kind === 'source') return keptPart(part.order);
  if (part.kind === 'derive') return undefined;
  const { attribute } = part;
  // In the key, a label follows its weight.
  if (part.kind === 'rank') return { attribute, valueOf: (text) => ({ S: text.slice(text.indexOf('-') + 1) }) };
  if (part.type === 'number') return { attribute, valueOf: (text) => ({ N: decodeNumber(text) }) };
  return part.type === 'date' ? undefined : { attribute, valueOf: (text) => ({ S: text }) };
}

/** Returns values before any text form. Excludes `multiValue`, because an item shows only one of the values. */
export function valuesOfSearch({ order, multiValue }: SearchModel, index: IndexName): KeptValues {
  const names =
    multiValue || order.kind === 'derive' ? [] : order.kind === 'path' ? order.attributes : [order.attribute];
  return {
    names,
    of(item) {
      const value = item[valueIn(index)];
      const values = value === undefined ? [] : order.kind === 'path' && 'L' in value ? value.L : [value];
      const kept: Item = {};
      for (const [i, one] of values.entries()) setOwn(kept, names[i]!, one);
      return kept;
    },
  };
}

export function listFilter(
  graph: CompiledModel,
  where: Where | undefined,
  subject: Omit<WhereSubject, 'kept'>,
  kept: KeptValues,
): { where: Filter | undefined; ofKept: Filter; passesKept: (item: Item) => boolean } {
  const names = kept.names.filter((name) => !isProjected(graph, name, subject.projection));
  const filter = encodeWhere(graph, where, { ...subject, kept: names });
  const ofKept = (filter ?? []).filter((term) => isAbout(term, names));
  const projected = filter?.filter((term) => !isAbout(term, names));
  return {
    where: projected?.length === 0 ? undefined : projected,
    ofKept,
    passesKept: ofKept.length === 0 ? () => true : (item) => passesFilter(kept.of(item), ofKept),
  };
}

function isAbout(term: FilterTerm, names: readonly string[]): boolean {
  return term.compare === 'not' ? term.terms.every((inner) => isAbout(inner, names)) : names.includes(term.attribute);
}
