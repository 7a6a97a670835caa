import { isLosslessNumber } from 'lossless-json';
import type { ComponentChildren } from 'preact';
import { useNames } from '../base/names.ts';
import { NodeLink } from '../base/place.tsx';
import { useCopy } from './copy.tsx';
import { Rows } from './rows.tsx';
import { FailureNote } from './told.tsx';
import { AnyValue, jsonText } from './value.tsx';

export interface Column<T> {
  name: string;
  valueOf(item: T): unknown;
  show?: (item: T) => ComponentChildren;
  /** Replaces the column of that attribute. */
  isAttribute?: boolean;
  isNode?: boolean;
  note?(item: T, row: number): ComponentChildren;
}

export interface GridProps<T> {
  items: readonly T[];
  label: string;
  own: readonly Column<T>[];
  attributesOf?: ((item: T) => Record<string, unknown>) | undefined;
  /** Attributes shown first. */
  known?: readonly string[] | undefined;
  empty: string;
}

export function Grid<T>({ items, label, own, attributesOf = () => ({}), known = [], empty }: GridProps<T>) {
  const nodeColumn = own.find(({ isNode }) => isNode);
  const idOf = (item: T): string => String(nodeColumn?.valueOf(item) ?? '');
  const { names, failure } = useNames(nodeColumn === undefined ? [] : items.map(idOf));
  const { copy, told } = useCopy();
  const met = new Set(items.flatMap((item) => Object.keys(attributesOf(item))));
  const isOwn = (attribute: string): boolean => own.some(({ name, isAttribute }) => isAttribute && name === attribute);
  // Engines return attributes in any order.
  const attributes = [
    ...known.filter((name) => met.has(name)),
    ...[...met].filter((name) => !known.includes(name)).sort(),
  ];
  const columns: Column<T>[] = [
    ...own,
    ...attributes
      .filter((name) => !isOwn(name))
      .map((name): Column<T> => {
        // An own column may have the name of an attribute.
        const heading = own.some((column) => column.name === name) ? `${name} (attribute)` : name;
        return { name: heading, valueOf: (item) => ownValue(attributesOf(item), name) };
      }),
  ];
  const values = items.map((item) => columns.map((column) => column.valueOf(item)));
  const numbers = new Set(columns.filter((_, i) => isOfNumbers(values, i)).map(({ name }) => name));
  const headings = columns.map(({ name }) => name);
  return (
    <>
      <FailureNote failure={failure} />
      <Rows
        {...{ label, headings, numbers, empty }}
        keys={values.map((row) => jsonText(row.slice(0, own.length)))}
        rows={items.map((item, row) =>
          columns.map((column, i) =>
            column === nodeColumn ? (
              <>
                <NodeLink id={idOf(item)} name={otherName(names[idOf(item)], values[row]!)} />{' '}
                {column.note?.(item, row)}
              </>
            ) : (
              shownCell(column, item, values[row]![i])
            ),
          ),
        )}
      />
      {items.length > 0 && (
        <p class="row">
          <button type="button" class="small" onClick={() => copy(jsonOf(headings, values))}>
            Copy as JSON
          </button>
          {told}
        </p>
      )}
    </>
  );
}

function otherName(name: string | null = null, values: readonly unknown[]): string | null {
  return values.includes(name) ? null : name;
}

function shownCell<T>(column: Column<T>, item: T, value: unknown): ComponentChildren {
  if (column.show !== undefined) return column.show(item);
  if (value === undefined) return '';
  return isNumber(value) ? <span class="value">{groupedDigits(String(value))}</span> : <AnyValue value={value} />;
}

function ownValue(attributes: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isLosslessNumber(value);
}

function isOfNumbers(rows: readonly (readonly unknown[])[], column: number): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every(isNumber);
}

/** Years have four digits. */
function groupedDigits(text: string): string {
  const [all, sign, whole, rest] = /^(-?)(\d{5,40})(\.\d{1,40})?$/.exec(text) ?? [];
  return all === undefined ? text : `${sign}${whole!.replace(/\B(?=(?:\d{3}){1,13}$)/g, ',')}${rest ?? ''}`;
}

function jsonOf(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(headings.flatMap((name, i) => (row[i] === undefined ? [] : [[name, row[i]]]))),
  );
  return jsonText(objects, 2);
}
