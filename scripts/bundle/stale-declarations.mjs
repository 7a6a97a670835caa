import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Declarations in dist whose source is gone, which would be published. */
export function staleDeclarations(root) {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.d\.c?ts$/.test(file) && !hasSource(root, file));
}

function hasSource(root, file) {
  const [, source] = /^types[\\/](.+)\.d\.c?ts$/.exec(file) ?? [];
  return source !== undefined && ['.ts', '.tsx'].some((ending) => existsSync(join(root, source + ending)));
}
