import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { cacheFolder } from '../../../src/deployment/package/package-files.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { EngineCommand } from './engine-process.ts';

const run = promisify(execFile);

/**
 * A package that contains DynamoDB Local. Only its tarball is fetched: as a dependency, it would bring hundreds of
 * packages.
 */
const PACKAGE = 'amplify-dynamodb-simulator@2.9.30';
const SHA512 = 'xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==';

const packed = z.tuple([z.object({ filename: z.string() })]);

/** Needs Java 17, and npm and tar the first time. */
export async function dynamoDBLocalCommand(port: number, dataDir: string | undefined): Promise<EngineCommand> {
  const folder = await installDynamoDBLocal();
  const data = dataDir === undefined ? ['-inMemory'] : ['-dbPath', dataDir, '-sharedDb'];
  return {
    file: 'java',
    args: ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', '-port', String(port), ...data],
    cwd: folder,
  };
}

export async function hasJava(): Promise<boolean> {
  try {
    await run('java', ['-version']);
    return true;
  } catch {
    return false;
  }
}

async function installDynamoDBLocal(): Promise<string> {
  if (!(await hasJava())) {
    throw new EdgeloomError(
      'not-installed',
      'DynamoDB Local needs Java 17 or newer, and no java was found.',
      'Install a Java runtime, or use the default engine.',
    );
  }
  const cache = cacheFolder();
  const installed = join(cache, PACKAGE.replace('@', '-'));
  const emulator = join(installed, 'package', 'emulator');
  if (existsSync(emulator)) return emulator;
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'fetch-'));
  try {
    const { stdout } = await run(
      'npm',
      ['pack', PACKAGE, '--json', '--loglevel=error', '--pack-destination', scratch],
      { cwd: scratch },
    );
    const tarball = join(scratch, packed.parse(JSON.parse(stdout))[0].filename);
    const hash = createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64');
    if (hash !== SHA512)
      throw new EdgeloomError(
        'not-installed',
        `${PACKAGE} has an unexpected hash; it was not used.`,
        'Try again; the npm registry, or a proxy before it, gave another file.',
      );
    await run('tar', ['-xzf', tarball, '-C', scratch]);
    await rm(tarball);
    // If two processes install it, the first rename wins.
    await rename(scratch, installed).catch((error: unknown) => {
      if (!existsSync(emulator)) throw error;
    });
    return emulator;
  } catch (error) {
    if (error instanceof EdgeloomError) throw error;
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new EdgeloomError(
      'not-installed',
      `DynamoDB Local could not be fetched: ${reason}.`,
      'It comes from the npm registry, once; check the network.',
      { cause: error },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
