import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedPackage } from '../../../test/support/test-package.ts';

export interface Schema {
  key(): Schema;
  optional(): Schema;
}

export interface Built {
  item(item: object): Built;
  key(key: object): Built;
  send(): Promise<unknown>;
}

/** The part of the library that is used. */
export interface Toolbox {
  string(): Schema;
  any(): Schema;
  set(element: Schema): Schema;
  map(attributes: Record<string, Schema>): Schema;
  item(attributes: Record<string, Schema>): unknown;
  $add(value: unknown): unknown;
  $delete(value: unknown): unknown;
  Table: new (options: object) => unknown;
  Entity: new (options: object) => { build(command: unknown): Built };
  PutItemCommand: unknown;
  UpdateItemCommand: unknown;
  DeleteItemCommand: unknown;
}

/**
 * Installs the library if it is missing: inside the repository and without its peer dependency, so that it uses the
 * same SDK.
 */
export async function loadToolbox(): Promise<Toolbox> {
  const folder = await installedPackage(join(process.cwd(), 'bench/peers/dynamodb-toolbox'), {
    cache: join(process.cwd(), '.cache/packages'),
    environment: () => ({ npm_config_legacy_peer_deps: 'true' }),
  });
  return createRequire(join(folder, 'package.json'))('dynamodb-toolbox') as Toolbox;
}
