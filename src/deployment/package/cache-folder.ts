import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * This package's folder in the user's caches, `$XDG_CACHE_HOME` or `~/.cache`: what is kept there is code that is run, so it lies
 * where other users of this machine cannot write.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
