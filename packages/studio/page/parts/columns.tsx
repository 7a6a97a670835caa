import type { ComponentChildren } from 'preact';
import { AnyValue } from './value.tsx';

/** Columns of attributes that a table has; the attributes beyond them are in one cell. */
const MOST_COLUMNS = 10;

/** A table's headings and cells with a column for each attribute. */
export interface Columns<T> {
  headings: string[];
  row: (item: T) => readonly ComponentChildren[];
}

/**
 * A column for each attribute that any of the items has, those that are named first.
 *
 * @param own the columns before them.
 */
export function attributeColumns<T>(
  items: readonly T[],
  own: Columns<T>,
  attributesOf: (item: T) => Record<string, unknown>,
  first: readonly string[] = [],
): Columns<T> {
  const met = new Set(items.flatMap((item) => Object.keys(attributesOf(item))));
  // An engine gives them in any order.
  const names = [...first.filter((name) => met.has(name)), ...[...met].filter((name) => !first.includes(name)).sort()];
  const shown = names.slice(0, MOST_COLUMNS);
  const rest = names.slice(MOST_COLUMNS);
  // A column of ours may have the name of an attribute.
  const heading = (name: string): string => (own.headings.includes(name) ? `${name} (attribute)` : name);
  return {
    headings: [...own.headings, ...shown.map(heading), ...(rest.length > 0 ? [`${rest.length} more`] : [])],
    row: (item) => {
      const attributes = attributesOf(item);
      const cell = (name: string) => (Object.hasOwn(attributes, name) ? <AnyValue value={attributes[name]} /> : '');
      const others = Object.fromEntries(
        rest.filter((name) => Object.hasOwn(attributes, name)).map((name) => [name, attributes[name]]),
      );
      return [
        ...own.row(item),
        ...shown.map(cell),
        ...(rest.length > 0 ? [Object.keys(others).length === 0 ? '' : <AnyValue value={others} />] : []),
      ];
    },
  };
}
