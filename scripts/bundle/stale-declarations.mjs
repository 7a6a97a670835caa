import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The declarations in dist that no source makes any more, by their paths in it: those whose source is gone, and those next to the modules,
 * where builds wrote them before there was `dist/types`. A package would be published with them.
 */
export function staleDeclarations(root) {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.d\.c?ts$/.test(file) && !hasSource(root, file));
}

function hasSource(root, file) {
  const [, source] = /^types[\\/](.+)\.d\.c?ts$/.exec(file) ?? [];
  return source !== undefined && ['.ts', '.tsx'].some((ending) => existsSync(join(root, source + ending)));
}
