import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedPackage } from '../../../test/support/test-package.ts';

/** The schema of an attribute. */
export interface Schema {
  key(): Schema;
  optional(): Schema;
}

/** A command that is being built. */
export interface Built {
  item(item: object): Built;
  key(key: object): Built;
  send(): Promise<unknown>;
}

/** The library, as far as the consumer uses it. */
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
 * Loads dynamodb-toolbox, and installs it first where it is missing. It lies inside the repository, without the SDK, which is its peer
 * dependency: so it finds the SDK that everybody else is measured with.
 */
export async function loadToolbox(): Promise<Toolbox> {
  const folder = await installedPackage(join(process.cwd(), 'bench/peers/dynamodb-toolbox'), {
    cache: join(process.cwd(), '.cache/packages'),
    environment: () => ({ npm_config_legacy_peer_deps: 'true' }),
  });
  return createRequire(join(folder, 'package.json'))('dynamodb-toolbox') as Toolbox;
}
