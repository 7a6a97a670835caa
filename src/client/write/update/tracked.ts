import { EdgeloomError } from '../../../foundation/errors.ts';

/**
 * Notes each name that a function reads, so that a write can depend on exactly these attributes. Enumerating the
 * attributes also notes declared names that are absent.
 */
export function trackedAttributes(
  attributes: Record<string, unknown>,
  declared: Iterable<string>,
  notes: Set<string>,
): Record<string, unknown> {
  const note = (name: string | symbol): void => {
    if (typeof name === 'string') notes.add(name);
  };
  const refuse = (): never => {
    throw new EdgeloomError(
      'invalid-argument',
      'The attributes that an update gets are read-only.',
      'Return the next ones: (attributes) => ({ ...attributes, count: attributes.count + 1 }).',
    );
  };
  return new Proxy(attributes, {
    get(target, name) {
      note(name);
      // Hide inherited properties: an attribute may be named `constructor`.
      return typeof name === 'string' && !Object.hasOwn(target, name) ? undefined : Reflect.get(target, name);
    },
    has(target, name) {
      note(name);
      return Object.hasOwn(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      for (const name of [...Object.keys(target), ...declared]) notes.add(name);
      return Reflect.ownKeys(target);
    },
    set: refuse,
    deleteProperty: refuse,
    defineProperty: refuse,
  });
}
