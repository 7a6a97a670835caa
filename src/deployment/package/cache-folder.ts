import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Code that is run is kept here, in `$XDG_CACHE_HOME` or `~/.cache`, where other users of this machine cannot write.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
