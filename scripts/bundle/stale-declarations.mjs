import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the declarations in dist whose source no longer exists, because they would be published. */
export function staleDeclarations(root) {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.d\.c?ts$/.test(file) && !hasSource(root, file));
}

function hasSource(root, file) {
  const [, source] = /^types[\\/](.+)\.d\.c?ts$/.exec(file) ?? [];
  return source !== undefined && ['.ts', '.tsx'].some((ending) => existsSync(join(root, source + ending)));
}
