import { wordsThereAre } from './nearest.ts';

/** Checks a model's options. Every bundle contains this code, and a schema library would be much larger. */

export type Note = (path: readonly string[], message: string) => void;

declare const TYPE: unique symbol;

/** Notes each mistake in an input. `T` is the type of a valid input. */
export interface Shape<T> {
  (input: unknown, note: Note): void;
  readonly [TYPE]?: T;
}

export type Shaped<S> = S extends Shape<infer T> ? T : never;

export type Shapes = Readonly<Record<string, Shape<unknown>>>;
type OptionalNames<Of extends Shapes> = {
  [Name in keyof Of]: undefined extends Shaped<Of[Name]> ? Name : never;
}[keyof Of];
type ObjectOf<Of extends Shapes> = { [Name in Exclude<keyof Of, OptionalNames<Of>>]: Shaped<Of[Name]> } & {
  [Name in OptionalNames<Of>]?: Shaped<Of[Name]>;
};

export interface ObjectShape<Of extends Shapes> extends Shape<ObjectOf<Of>> {
  readonly of: Of;
}

export function hasShape<T>(shape: Shape<T>, input: unknown): input is T {
  let isMistaken = false;
  shape(input, () => {
    isMistaken = true;
  });
  return !isMistaken;
}

export function shapeThatPasses<T>(passes: (input: unknown) => boolean, message: string): Shape<T> {
  return (input, note) => {
    if (!passes(input)) note([], message);
  };
}

export const text: Shape<string> = shapeThatPasses((input) => typeof input === 'string', 'should be a string');
export const flag: Shape<boolean> = shapeThatPasses((input) => typeof input === 'boolean', 'should be true or false');
export const anything: Shape<unknown> = () => undefined;
export const finite: Shape<number> = shapeThatPasses(Number.isFinite, 'should be a number');

export const integer: Shape<number> = shapeThatPasses(Number.isSafeInteger, 'should be a whole number');

export function wholeNumberBetween(least: number, most?: number): Shape<number> & { message: string } {
  const message = `should be a whole number ${most === undefined ? `of ${least} or more` : `from ${least} to ${most}`}`;
  const shape = shapeThatPasses<number>(
    (input) => Number.isSafeInteger(input) && least <= Number(input) && Number(input) <= (most ?? Infinity),
    message,
  );
  return Object.assign(shape, { message });
}

export function oneOf<const Values extends readonly unknown[]>(...values: Values): Shape<Values[number]> {
  const names = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = names.pop();
  const list = names.length === 0 ? last : `${names.join(', ')} or ${last}`;
  return shapeThatPasses((input) => values.includes(input), `should be ${list}`);
}

export function either<Each extends Shape<unknown>>(shapes: readonly Each[], message: string): Shape<Shaped<Each>> {
  return shapeThatPasses((input) => shapes.some((shape) => hasShape(shape, input)), message);
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (input, note) => input === undefined || shape(input, note);
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (input, note) => input === null || shape(input, note);
}

/** @param noEntry the message for an empty list; if undefined, a list may be empty. */
export function listOf<T>(shape: Shape<T>, message: string = 'should be a list', noEntry?: string): Shape<T[]> {
  return (input, note) => {
    if (!Array.isArray(input)) return note([], message);
    if (input.length === 0 && noEntry !== undefined) note([], noEntry);
    for (const [i, entry] of input.entries()) shape(entry, notesWithin(String(i), note));
  };
}

export function tuple<Each extends readonly Shape<unknown>[]>(
  ...shapes: Each
): Shape<{ -readonly [I in keyof Each]: Shaped<Each[I]> }> {
  return (input, note) => {
    if (!Array.isArray(input) || input.length !== shapes.length) note([], `should be a list of ${shapes.length}`);
    else for (const [i, shape] of shapes.entries()) shape(input[i], notesWithin(String(i), note));
  };
}

export function recordOf<T>(
  name: Shape<string>,
  shape: Shape<T>,
  message: string = 'should be an object',
): Shape<Record<string, T>> {
  return (input, note) => {
    if (!isPlainObject(input)) return note([], message);
    for (const [key, value] of Object.entries(input)) {
      name(key, notesWithin(key, note));
      shape(value, notesWithin(key, note));
    }
  };
}

export function object<const Of extends Shapes>(of: Of): ObjectShape<Of> {
  const shape: Shape<ObjectOf<Of>> = (input, note) => {
    if (!isObject(input)) return note([], 'should be an object');
    for (const [name, entry] of Object.entries(of)) {
      entry(input[name], notesWithin(name, note));
    }
  };
  return Object.assign(shape, { of });
}

export function exactObject<const Of extends Shapes>(of: Of): ObjectShape<Of> {
  const entries = object(of);
  const shape: Shape<ObjectOf<Of>> = (input, note) => {
    entries(input, note);
    const others = isObject(input) ? Object.keys(input).filter((name) => !Object.hasOwn(of, name)) : [];
    for (const name of others) note([], `has no option ${JSON.stringify(name)}${wordsThereAre(name, Object.keys(of))}`);
  };
  return Object.assign(shape, { of });
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** Refuses maps, sets and class instances, whose entries or inherited properties would be overlooked. */
export function isPlainObject(input: unknown): input is Record<string, unknown> {
  if (!isObject(input)) return false;
  const prototype: unknown = Object.getPrototypeOf(input);
  // An object from another realm has a different Object.prototype, which also inherits from nothing.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notesWithin(name: string, note: Note): Note {
  return (path, message) => note([name, ...path], message);
}
