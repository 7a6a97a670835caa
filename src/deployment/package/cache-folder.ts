import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns a folder of the user, because cached code is executed and other users must not be able to write it. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
