import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is kept here is code that is run: other users of this machine must not write it. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
