import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

/**
 * Loads a user's modules, TypeScript or JavaScript, without a build step. What they import of `edgeloom` is this very
 * package, installed or not. A module is code and runs with all rights of this process.
 */
export function createModuleLoader(): ReturnType<typeof createJiti> {
  return createJiti(import.meta.url, {
    alias: {
      'edgeloom/lambda': ownModule('./lambda/index'),
      'edgeloom/local': ownModule('./local/index'),
      'edgeloom/tools': ownModule('./tools'),
      edgeloom: ownModule('./index'),
    },
  });
}

/** A module of this package, in the form (source or built) that is running. */
function ownModule(path: string): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return fileURLToPath(new URL(path + extension, import.meta.url));
}
