import { isLosslessNumber } from 'lossless-json';
import type { ComponentChildren } from 'preact';
import { NodeLink } from '../base/place.tsx';
import { Rows } from './rows.tsx';
import { jsonText, Value } from './value.tsx';

export interface GridRow {
  id: string;
  name: string | null;
  /** Values of columns before the attributes. */
  own: Record<string, unknown>;
  attributes: Record<string, unknown>;
}

export interface GridProps<Row extends GridRow> {
  label: string;
  idHeading: string;
  rows: readonly Row[];
  note: (row: Row, at: number) => ComponentChildren;
  empty: string;
}

export function Grid<Row extends GridRow>({ label, idHeading, rows, note, empty }: GridProps<Row>) {
  const own = Object.keys(rows[0]?.own ?? {});
  const met = new Set(rows.flatMap(({ attributes }) => Object.keys(attributes)));
  // Engines return attributes in any order.
  const attributes = [...met].filter((name) => !own.includes(name)).sort();
  const values = rows.map((row) => [
    ...own.map((name) => row.own[name]),
    ...attributes.map((name) => (Object.hasOwn(row.attributes, name) ? row.attributes[name] : undefined)),
  ]);
  const headings = [...own, ...attributes];
  return (
    <Rows
      {...{ label, empty }}
      headings={[idHeading, ...headings]}
      numbers={[false, ...headings.map((_, column) => isOfNumbers(values.map((row) => row[column])))]}
      keys={rows.map((row) => jsonText([row.id, row.own]))}
      rows={rows.map((row, at) => [
        <>
          <NodeLink id={row.id} name={row.name} /> {note(row, at)}
        </>,
        ...values[at]!.map(shownCell),
      ])}
    />
  );
}

function shownCell(value: unknown): ComponentChildren {
  if (value === undefined) return '';
  return isNumber(value) ? <span class="value">{String(value)}</span> : <Value value={value} />;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isLosslessNumber(value);
}

function isOfNumbers(column: readonly unknown[]): boolean {
  const values = column.filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every(isNumber);
}
