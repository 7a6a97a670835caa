import { homedir } from 'node:os';
import { join } from 'node:path';

/** The cache holds code that is run, so other users of this machine must not be able to write it. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
