import { attributeOf, type Item, setOwn } from '../../../core/items/attribute-value.ts';
import type { ExactNumber } from '../../../core/items/plain.ts';
import type { AttributeChanges, ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { AttributeError, itemName, withItemName } from '../checks/problem.ts';
import { checkAttributes } from '../checks/value.ts';
import { isPlainObject, toWireItem } from '../checks/values.ts';
import { addNumbers, changeSet } from './operands.ts';

type OptionalName<A> = string extends keyof A
  ? string
  : { [N in keyof A]-?: Record<never, never> extends Pick<A, N> ? Extract<N, string> : never }[keyof A];

type NameOfType<A, T> = string extends keyof A
  ? string
  : { [N in keyof A]-?: Extract<A[N], T> extends never ? never : Extract<N, string> }[keyof A];

type ElementOf<V> = V extends ReadonlySet<infer E> ? E : unknown extends V ? unknown : never;

/** An update's changes. Each attribute may be named once. */
export interface AttributeChange<A = Record<string, unknown>> {
  set?: { readonly [N in keyof A]?: A[N] | undefined } | undefined;
  remove?: readonly OptionalName<A>[] | undefined;
  /**
   * Numbers to add, negative to subtract. An absent attribute counts as 0. Throws `invalid-attribute` if a number or
   * sum exceeds the model's bounds, such as 15 digits before the point in a total. Doesn't check a stored number's
   * decimals.
   */
  add?: Named<NameOfType<A, number | bigint | ExactNumber>, number | bigint | ExactNumber> | undefined;
  /** Elements to add to sets. A missing set is created. */
  addTo?: Elements<A> | undefined;
  /** Elements to delete from sets. An emptied set is removed. */
  deleteFrom?: Elements<A> | undefined;
}

/** A mapped type without names would accept any name. */
type Named<Name extends string, Value> = [Name] extends [never]
  ? Record<string, never>
  : { readonly [N in Name]?: Value | undefined };

type Elements<A> = [NameOfType<A, ReadonlySet<unknown>>] extends [never]
  ? Record<string, never>
  : {
      readonly [N in NameOfType<A, ReadonlySet<unknown>>]?:
        | Iterable<ElementOf<Exclude<A[N & keyof A], undefined>>>
        | undefined;
    };

/** An update's change: an object of changes, or a function that returns the next attributes from the current ones. */
export type Change<Output = Record<string, unknown>, Input = Output> =
  | AttributeChange<Input>
  | ((attributes: Output) => Input | Promise<Input>);

/**
 * The names that `onWrite` has added to a change. If a type's `fields` drop these names, the update is written without
 * them.
 */
export const namesOfOnWrite = new WeakMap<object, ReadonlySet<string>>();

const PARTS = ['set', 'remove', 'add', 'addTo', 'deleteFrom'] as const;

export function toAttributeChanges(
  key: ItemKey,
  change: AttributeChange,
  reserved: ReadonlyMap<string, string>,
): AttributeChanges {
  const { source, target } = key;
  checkShape(itemName(source, target), change);
  const unknown = Object.keys(change).find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) {
    const hint = `An update has ${PARTS.join(', ')}; to replace the item, put it.`;
    throw new EdgeloomError('invalid-argument', `${itemName(source, target)}: an update has no part ${unknown}.`, hint);
  }
  const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = change;
  return withItemName(source, target, () => {
    const numbers = toWireItem(add);
    const changes = {
      set: toWireItem(set),
      remove: [...remove],
      add: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, amountText(name, value)])),
      addTo: toWireItem(setsOf(addTo)),
      deleteFrom: toWireItem(setsOf(deleteFrom)),
    };
    for (const part of [changes.set, numbers, changes.addTo, changes.deleteFrom]) checkAttributes(part);
    checkNames(changes, reserved);
    return changes;
  });
}

function checkShape(name: string, change: unknown): void {
  const isPart = (part: (typeof PARTS)[number]): boolean => {
    const value = (change as AttributeChange)[part];
    return value === undefined || (part === 'remove' ? Array.isArray(value) : isPlainObject(value));
  };
  if (isPlainObject(change) && PARTS.every(isPart)) return;
  throw new EdgeloomError(
    'invalid-argument',
    `${name}: an update is an object of changes by attribute, or a function.`,
    'Give { set: { status: "DONE" }, remove: ["note"], add: { views: 1 } }, or a function of the present attributes.',
  );
}

/** Computes what DynamoDB would store. */
export function applyChanges(attributes: Item, changes: AttributeChanges): Item {
  const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = changes;
  const next: Item = {};
  for (const name of Object.keys(attributes)) setOwn(next, name, attributes[name]!);
  for (const name of Object.keys(set)) setOwn(next, name, set[name]!);
  for (const name of remove) delete next[name];
  for (const [name, number] of Object.entries(add))
    next[name] = addNumbers(name, attributeOf(attributes, name), number);
  for (const [part, how] of [
    [addTo, 'add'],
    [deleteFrom, 'delete'],
  ] as const) {
    for (const name of Object.keys(part)) {
      const elements = changeSet(name, attributeOf(attributes, name), part[name]!, how);
      if (elements === undefined) delete next[name];
      else next[name] = elements;
    }
  }
  return next;
}

function setsOf(part: object): Record<string, unknown> {
  const entries = Object.entries(part).filter(([, elements]) => elements !== undefined);
  return Object.fromEntries(
    entries.map(([name, elements]) => {
      const isList = typeof elements === 'object' && elements !== null && Symbol.iterator in elements;
      if (isList) return [name, new Set(elements as Iterable<unknown>)];
      throw new AttributeError(
        name,
        'should be given elements of a set',
        'Give them as a list: { addTo: { tags: ["a"] } }.',
      );
    }),
  );
}

function amountText(name: string, value: object): string {
  if ('N' in value && typeof value.N === 'string') return value.N;
  throw new AttributeError(name, 'is added what is no number', 'Give a number, a bigint or an ExactNumber.');
}

/** Matches a name that looks like a path into a map or list. DynamoDB would create an attribute with that name. */
const IS_PATH = /\.|\[\d+\]$/;
const PATH_REFUSED = 'reads as a path, and an update changes whole attributes';
const PATH_REMEDY =
  'Change a part of a map by a function: ({ address, ...rest }) => ({ ...rest, address: { ...address, zip: "95616" } }).';

function checkNames(
  { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} }: AttributeChanges,
  reserved: ReadonlyMap<string, string>,
): void {
  const seen = new Set<string>();
  for (const name of [...[set, add, addTo, deleteFrom].flatMap(Object.keys), ...remove]) {
    const reason = reserved.get(name);
    if (reason !== undefined) throw new AttributeError(name, reason, 'Leave it out of the update.');
    if (IS_PATH.test(name)) throw new AttributeError(name, PATH_REFUSED, PATH_REMEDY);
    if (seen.has(name)) throw new AttributeError(name, 'is changed in two ways', 'Name each attribute once.');
    seen.add(name);
  }
}
