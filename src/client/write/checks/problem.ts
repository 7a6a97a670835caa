import { describe } from '../../../core/items/keys.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';

export function itemName(source: string, sortKey: string): string {
  if (source === sortKey) return `Node ${describe(source)}`;
  return `${sortKey.includes('-') ? 'Edge' : 'Part'} ${describe(source)} ${describe(sortKey)}`;
}

/** `reason` completes "attribute tags[0] …". `withItemName` adds the item's name. */
export class AttributeError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
    readonly hint: string,
  ) {
    super(`attribute ${path} ${reason}`);
  }
}

export function withItemName<T>(source: string, sortKey: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error;
    throw new EdgeloomError('invalid-attribute', `${itemName(source, sortKey)}: ${error.message}.`, error.hint);
  }
}

/** Quotes a name that would be ambiguous in a path. */
export function entryPath(path: string, name: string): string {
  const part = /^[^.[\]"\s]+$/.test(name) ? name : describe(name);
  return path === '' ? part : `${path}.${part}`;
}
