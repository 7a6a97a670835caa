import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, copyFile, rename, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../../src/deployment/package/package-files.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { EngineCommand } from './engine-process.ts';

const VERSION = '1.2.1';

/**
 * An empty database with indexes that the engine doesn't create itself. Without them, each write reads all stream
 * records.
 */
const TEMPLATE = `assets/dynoxide-${VERSION}.db`;

/** Without `dataDir`, the data is in a scratch folder: in memory if `mostBytes` fit there. */
export async function dynoxideCommand(
  port: number,
  dataDir: string | undefined,
  mostBytes?: number,
): Promise<EngineCommand> {
  const program = dynoxidePath();
  const seed = fileURLToPath(packageFile(TEMPLATE));
  const command = (database: string) => ({ file: program, args: ['--port', String(port), '--db-path', database] });
  if (dataDir === undefined) {
    const path = join(await scratchRoot(mostBytes), `edgeloom-engine-${randomUUID()}`);
    return { ...command(join(path, basename(seed))), scratch: { path, seed } };
  }
  const database = join(dataDir, 'dynoxide.db');
  if (!existsSync(database)) {
    // Rename the complete copy, so that a crash can't leave half a database.
    await copyFile(seed, `${database}.new`);
    await rename(`${database}.new`, database);
  }
  return command(database);
}

/** Linux's in-memory file system. In a container, it may be absent or small. */
const IN_MEMORY = '/dev/shm';

export async function scratchRoot(mostBytes: number | undefined, memory: string = IN_MEMORY): Promise<string> {
  if (mostBytes === undefined) return tmpdir();
  try {
    const { bavail, bsize } = await statfs(memory);
    await access(memory, constants.W_OK);
    return bavail * bsize >= mostBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

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
      'not-installed',
      `The embedded engine for this platform (${name}) is not installed.`,
      `Install it with "npm install --no-save ${name}@${VERSION}" where it exists, or use --engine memory, or Java 17 for --engine dynamodb-local.`,
      { cause: error },
    );
  }
}
