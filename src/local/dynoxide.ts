import { createRequire } from 'node:module';
import { join } from 'node:path';
import { EdgeloomError } from '../errors.ts';
import type { EngineCommand } from './engine.ts';

/** The release that the tests run on; other platforms are asked to install the same. */
const VERSION = '1.2.1';

/** The command that runs dynoxide, the embedded default: a native server that starts in milliseconds. */
export function dynoxideCommand(port: number, dataDir: string | undefined): EngineCommand {
  const args = ['--port', String(port)];
  if (dataDir !== undefined) args.push('--db-path', join(dataDir, 'dynoxide.db'));
  return { file: dynoxidePath(), args };
}

/**
 * Where the engine's program is. It comes in one package for each platform; throws `no-engine` with what to install
 * where this platform's is missing.
 *
 * @param platform such as `linux`. @param architecture such as `x64`. @param resolve finds a file of a package.
 */
export function dynoxidePath(
  platform: string = process.platform,
  architecture: string = process.arch,
  resolve: (specifier: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = `@dynoxide/${platform}-${architecture}`;
  try {
    return resolve(`${name}/dynoxide${platform === 'win32' ? '.exe' : ''}`);
  } catch (error) {
    throw new EdgeloomError(
      'no-engine',
      `The embedded engine for this platform (${name}) is not installed.`,
      `Install it with "npm install --no-save ${name}@${VERSION}" where it exists, or use --engine dynamodb-local (Java 17).`,
      { cause: error },
    );
  }
}
