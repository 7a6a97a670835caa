import type { Letters } from './raw-keys.ts';

/** Keys that other software gives the items of a type, as templates. */
export interface NodeKeyOption {
  /** The partition key, with `{id}` for what follows the type in the node's id: `'USER#{id}'`. */
  source: string;
  /** The sort key: a text such as `'PROFILE'`, or one with `{id}`. */
  target: string;
  /** Attributes that an item of the type has besides: `{ _type: 'User' }`. They tell types apart whose templates fit the same keys. */
  where?: Readonly<Record<string, string>>;
  /** The case of ids in the keys, where the library that writes them changes it. Default `'any'`: as it is. */
  case?: Letters;
}

/** Keys that other software gives the edges of a type, as templates. */
export interface EdgeKeyOption {
  /** The partition key: that of the node that the edge leaves, with `{from}`. Default: as the node has it. */
  source?: string;
  /** The sort key, with `{to}` at its end, and maybe `{from}`: `'USER#{to}'`. */
  target: string;
  /** Attributes that an edge of the type has besides: `{ _type: 'Membership' }`. */
  where?: Readonly<Record<string, string>>;
}
