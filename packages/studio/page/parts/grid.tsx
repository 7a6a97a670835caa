import { isLosslessNumber } from 'lossless-json';
import type { ComponentChildren } from 'preact';
import { countText } from '../../../../src/foundation/figure.ts';
import type { KnownNode } from '../../api/nodes.ts';
import { useKnownNodes } from '../base/known-nodes.ts';
import type { Live } from '../base/live.ts';
import { hereWith, lookAt, NodeLink } from '../base/place.tsx';
import { useCopy } from './copy.tsx';
import { priceText } from './price.tsx';
import { Rows } from './rows.tsx';
import { FailureNote, LiveMark } from './told.tsx';
import { AnyValue, jsonText } from './value.tsx';

/** A column of a grid. */
export interface Column<T> {
  name: string;
  /** The value of a row; undefined: it has none. */
  valueOf(item: T): unknown;
  /** How it is shown. Default: as a value. */
  show?: (item: T) => ComponentChildren;
  /** True if it is the attribute of its name, which has no other column then. */
  isAttribute?: boolean;
  /** Its values are ids: of the nodes that the rows are, or of nodes at the ends of edges that they are. */
  node?: 'itself' | 'end';
  /** More about a row, below the link to its node. */
  note?(item: T, row: number): ComponentChildren;
}

/** Properties of a grid. */
export interface GridProps<T> {
  /** The items as they were read. */
  items: readonly T[];
  /** Names the table to screen readers. */
  label: string;
  /** The columns before the attributes. */
  own: readonly Column<T>[];
  /** The attributes of an item, for a column each. */
  attributesOf?: ((item: T) => Record<string, unknown>) | undefined;
  /** The attributes that rows may have by the model: they come first. */
  known?: readonly string[] | undefined;
  empty: string;
  /** The items as they move. */
  live?: Live<T> | undefined;
}

/** Columns of attributes that a table has at first. */
const MOST_COLUMNS = 10;
/** Read capacity units of a node of at most 4 KB. */
const NODE_RCU = 0.5;

/** A table of items with a column for each attribute: the address has those that are shown. Cells and the page can be copied. */
export function Grid<T>({ items: read, label, own, attributesOf, known, empty, live }: GridProps<T>) {
  const items = live?.rows?.map(({ item }) => item) ?? read;
  const here = new URLSearchParams(location.search);
  const isFull = here.has('full');
  const nodeColumn = own.find(({ node }) => node !== undefined);
  const idOf = (item: T): string => String(nodeColumn?.valueOf(item) ?? '');
  const nodes = useKnownNodes(nodeColumn === undefined ? [] : items.map(idOf), isFull);
  const { copy, told } = useCopy();
  const rowsOf = items.map((item) => ({
    ...(isFull && nodeColumn !== undefined ? nodeAttributes(nodeColumn, nodes.known[idOf(item)]) : {}),
    ...attributesOf?.(item),
  }));
  const { names, shown } = chosenColumns(rowsOf, known, own, here);
  const attributes = new Map(items.map((item, i) => [item, rowsOf[i]!]));
  const columns: Column<T>[] = [
    ...own,
    ...shown.map((name): Column<T> => {
      // A column of ours may have the name of an attribute.
      const heading = own.some((column) => column.name === name) ? `${name} (attribute)` : name;
      return { name: heading, valueOf: (item) => ownValue(attributes.get(item)!, name) };
    }),
  ];
  const values = items.map((item) => columns.map((column) => column.valueOf(item)));
  const numbers = new Set(columns.filter((_, i) => isOfNumbers(values, i)).map(({ name }) => name));
  const headings = columns.map(({ name }) => name);
  return (
    <>
      {live !== undefined && <LiveMark live={live} />}
      {nodes.failure !== undefined && <FailureNote failure={nodes.failure} />}
      <Rows
        {...{ label, headings, numbers, empty }}
        rows={items.map((item, row) =>
          columns.map((column, i) =>
            column === nodeColumn ? (
              <>
                <NodeLink id={idOf(item)} name={nameOf(nodes.known[idOf(item)], values[row]!)} />{' '}
                {column.note?.(item, row)}
              </>
            ) : (
              shownCell(column, item, values[row]![i])
            ),
          ),
        )}
        marks={live?.rows}
        copied={{ texts: values.map((row) => row.map(textOf)), copy }}
      />
      {items.length > 0 && (
        <div class="row tools">
          {names.length > 0 && <ColumnChoice names={names} shown={shown} />}
          <button type="button" class="small" onClick={() => copy(jsonOf(headings, values))}>
            Copy as JSON
          </button>
          <button type="button" class="small" onClick={() => copy(tsvOf(headings, values))}>
            Copy as TSV
          </button>
          {nodeColumn !== undefined && (
            <button
              type="button"
              class="small"
              onClick={() => lookAt(hereWith({ full: isFull ? undefined : 'true', columns: undefined }))}
            >
              {isFull
                ? 'Leave the nodes out'
                : `Read the ${countText(items.length, 'node')}: ${priceText(items.length * NODE_RCU)}`}
            </button>
          )}
          {told}
        </div>
      )}
    </>
  );
}

/** The attributes of a row's node: those of a node at the end of an edge have its side in their names. */
function nodeAttributes<T>({ name, node }: Column<T>, known: KnownNode | undefined): Record<string, unknown> {
  const all = Object.entries(known?.attributes ?? {});
  return Object.fromEntries(
    all.map(([attribute, value]) => [node === 'itself' ? attribute : `${name}(${attribute})`, value]),
  );
}

/** The names of all columns of attributes, and those that the address chooses: the first ones where it chooses none. */
function chosenColumns(
  rows: readonly Record<string, unknown>[],
  known: readonly string[] = [],
  own: readonly Pick<Column<never>, 'name' | 'isAttribute'>[],
  here: URLSearchParams,
): { names: string[]; shown: string[] } {
  const met = new Set(rows.flatMap((row) => Object.keys(row)));
  // An engine gives attributes in any order.
  const others = [...met].filter((name) => !known.includes(name)).sort();
  const isOwn = (attribute: string): boolean => own.some(({ name, isAttribute }) => isAttribute && name === attribute);
  const names = [...new Set(known), ...others].filter((name) => !isOwn(name));
  const chosen = here.getAll('columns');
  const shown = names.filter((name) => (here.has('columns') ? chosen.includes(name) : met.has(name)));
  return { names, shown: here.has('columns') ? shown : shown.slice(0, MOST_COLUMNS) };
}

function ColumnChoice({ names, shown }: { names: readonly string[]; shown: readonly string[] }) {
  // An address without columns has the first ones: an empty name means a choice of none.
  const choose = (chosen: readonly string[]): void =>
    lookAt(hereWith({ columns: chosen.length === 0 ? [''] : chosen }));
  return (
    <details class="columns">
      <summary>
        Columns: {shown.length} of {names.length}
      </summary>
      <fieldset>
        <legend>Attributes</legend>
        {names.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={shown.includes(name)}
              onChange={() => choose(shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name])}
            />
            <bdi>{name}</bdi>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** A node's name; null where none is known, or where a value of its row says the same. */
function nameOf(node: KnownNode | undefined, values: readonly unknown[]): string | null {
  return node === undefined || values.includes(node.name) ? null : node.name;
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

/** Tells whether a column has numbers alone. */
function isOfNumbers(rows: readonly (readonly unknown[])[], column: number): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every(isNumber);
}

/** A number with its digits in groups of three: all of them stay. Four digits are no group: they may be a year. */
function groupedDigits(text: string): string {
  const [all, sign, whole, rest] = /^(-?)(\d{5,40})(\.\d{1,40})?$/.exec(text) ?? [];
  return all === undefined ? text : `${sign}${whole!.replace(/\B(?=(?:\d{3}){1,13}$)/g, ',')}${rest ?? ''}`;
}

/** A value as it is copied: a text as it is, and all else as JSON; nothing is an empty text. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

function jsonOf(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(headings.flatMap((name, i) => (row[i] === undefined ? [] : [[name, row[i]]]))),
  );
  return jsonText(objects, 2);
}

/** A line for each row; a text with a tab or a line break is JSON. */
function tsvOf(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const field = (text: string): string => (/[\t\r\n]/.test(text) ? JSON.stringify(text) : text);
  return [headings, ...rows.map((row) => row.map(textOf))].map((row) => row.map(field).join('\t')).join('\n');
}
