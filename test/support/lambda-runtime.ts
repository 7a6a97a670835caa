import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FunctionCommand } from './emulator/local-function.ts';
import { installedTestPackage } from './test-package.ts';

const run = promisify(execFile);

/** What the client's native part is built with; it comes as source alone. */
const TOOLS = ['cmake', 'make', 'g++', 'python3'];

/** Why the runtime client cannot run on this machine; undefined where it can. */
export async function lambdaRuntimeObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `its native part is built for Linux, not for ${process.platform}`;
  const missing: string[] = [];
  for (const tool of TOOLS) await run(tool, ['--version']).catch(() => missing.push(tool));
  return missing.length === 0 ? undefined : `building it takes ${missing.join(', ')}, which this machine lacks`;
}

/** The command that runs Lambda's runtime client on Node 24. Building it takes about a minute the first time. */
export async function lambdaRuntime(): Promise<FunctionCommand> {
  // The headers come with that Node: node-gyp would fetch them from elsewhere.
  const installed = await installedTestPackage('lambda-runtime', (folder) => ({
    npm_config_nodedir: join(folder, nodeFolder()),
  }));
  return {
    file: join(installed, nodeFolder(), 'bin', 'node'),
    args: [join(installed, 'node_modules', 'aws-lambda-ric', 'index.mjs')],
  };
}

/** Where the package of Node 24 for this machine is. */
function nodeFolder(): string {
  return join('node_modules', `node-linux-${process.arch}`);
}
