import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheHome } from '../../src/config.ts';
import type { FunctionCommand } from '../../src/emulator/function/local-function.ts';

const run = promisify(execFile);

/** The test package that names Lambda's runtime client and the Node that it wants. */
const PACKAGE = new URL('../lambda-runtime/', import.meta.url).pathname;
const FILES = ['package.json', 'package-lock.json'];
/** What the client's native part is built with; it comes as source alone. */
const TOOLS = ['cmake', 'make', 'g++', 'python3'];

/** Why the runtime client cannot run on this machine; undefined where it can. */
export async function lambdaRuntimeObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `its native part is built for Linux, not for ${process.platform}`;
  const missing: string[] = [];
  for (const tool of TOOLS) await run(tool, ['--version']).catch(() => missing.push(tool));
  return missing.length === 0 ? undefined : `building it takes ${missing.join(', ')}, which this machine lacks`;
}

/**
 * The command that runs Lambda's runtime client on Node 22. It is installed from the npm registry and built the first
 * time, which takes about a minute, and kept in the user's cache, under a name that stands for the versions.
 */
export async function lambdaRuntime(): Promise<FunctionCommand> {
  const contents = await Promise.all(FILES.map((name) => readFile(join(PACKAGE, name))));
  const hash = contents.reduce((sum, text) => sum.update(text), createHash('sha256')).digest('hex');
  const cache = join(cacheHome() ?? join(homedir(), '.cache'), 'edgeloom');
  const installed = join(cache, `lambda-runtime-${process.arch}-${hash.slice(0, 16)}`);
  if (!existsSync(installed)) await install(cache, installed);
  return {
    file: join(installed, nodeFolder(), 'bin', 'node'),
    args: [join(installed, 'node_modules', 'aws-lambda-ric', 'index.mjs')],
  };
}

async function install(cache: string, installed: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'install-'));
  try {
    for (const name of FILES) await copyFile(join(PACKAGE, name), join(scratch, name));
    // The headers come with that Node: node-gyp would fetch them from elsewhere.
    const nodeHeaders = join(scratch, nodeFolder());
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: scratch,
      env: { ...process.env, npm_config_nodedir: nodeHeaders },
      maxBuffer: 64 * 1024 * 1024,
    });
    // Two runs may install at once: the first rename wins and the other's copy is dropped.
    await rename(scratch, installed).catch((error: unknown) => {
      if (!existsSync(installed)) throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Where the package of Node 22 for this machine is. */
function nodeFolder(): string {
  return join('node_modules', `node-linux-${process.arch}`);
}
