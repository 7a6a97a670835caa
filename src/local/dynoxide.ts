import { createRequire } from 'node:module';
import { join } from 'node:path';
import { EdgeloomError } from '../errors.ts';
import type { EngineCommand } from './engine.ts';

/** The command that runs dynoxide, the embedded default: a native server that starts in milliseconds. */
export function dynoxideCommand(port: number, dataDir: string | undefined): EngineCommand {
  const args = ['--port', String(port)];
  if (dataDir !== undefined) args.push('--db-path', join(dataDir, 'dynoxide.db'));
  return { file: dynoxidePath(), args };
}

function dynoxidePath(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    throw new EdgeloomError(
      'no-engine',
      `The embedded engine for this platform (${name}) is not installed.`,
      `Install it with "npm install --no-save ${name}@1.2.1" where it exists, or use --engine dynamodb-local (Java 17).`,
    );
  }
}
