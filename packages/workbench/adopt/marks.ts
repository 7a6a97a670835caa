import { separatorOf } from './key-forms.ts';
import { isTypeText, type SampledItem } from './sampled-item.ts';

const NAMES_OF_MARKS: ReadonlySet<string> = new Set([
  ...['type', 'typename', 'kind', 'entity', 'entitytype', 'entityname', 'model', 'modelname', 'class', 'datatype'],
  ...['itemtype', 'recordtype', 'objecttype', 'documenttype', 'doctype', 'nodetype'],
]);
const MOST_NAMES = 20;
/**
 * Minimum share of items with the attribute, maximum number of its values, and minimum share of items whose shape
 * occurs with only one value.
 */
const [SHARE_OF_MARK, MOST_MARKS, SHARE_APART] = [0.9, 50, 0.5];

/**
 * Marks items by an attribute that is named like a type and present on nearly all items. Its values must correlate with other attributes
 * or keys: the `type` of events that otherwise look alike isn't a mark.
 */
export function withMarks(items: readonly SampledItem[]): readonly SampledItem[] {
  if (items.some(({ mark }) => mark !== undefined)) return items;
  const names = new Set(items.flatMap((item) => item.names.filter(isNameOfMark)));
  const attribute = [...names].slice(0, MOST_NAMES).find((name) => tellsApart(items, name));
  if (attribute === undefined) return items;
  return items.map((item) => {
    const value = item.texts.get(attribute);
    if (!isTypeText(value)) return item;
    const texts = new Map(item.texts);
    texts.delete(attribute);
    return { ...item, texts, mark: { attribute, value } };
  });
}

function isNameOfMark(name: string): boolean {
  return name.length < 20 && NAMES_OF_MARKS.has(name.toLowerCase().replace(/[_-]/g, ''));
}

function tellsApart(items: readonly SampledItem[], name: string): boolean {
  const values = items.map(({ texts }) => texts.get(name));
  const separator = separatorOf(items);
  const shapes = items.map(({ names, keys }) => {
    const words = keys.map((key) => key.slice(0, Math.max(0, key.indexOf(separator))));
    return JSON.stringify([...words, ...[...names].sort()]);
  });
  const known = values.filter(isTypeText);
  const distinct = new Set(known);
  if (known.length < items.length * SHARE_OF_MARK || distinct.size < 2 || distinct.size > MOST_MARKS) return false;
  const valuesOf = new Map<string, Set<string | undefined>>();
  for (const [i, shape] of shapes.entries()) valuesOf.set(shape, (valuesOf.get(shape) ?? new Set()).add(values[i]));
  return shapes.filter((shape) => valuesOf.get(shape)!.size === 1).length >= items.length * SHARE_APART;
}
