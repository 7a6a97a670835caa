#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../src/deployment/package/package-files.ts';

// Absent from old releases of Node, and from the types of the oldest supported release.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(cacheFolder(), 'compiled'));

// Silences the SDK's notice about future Node versions.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Exit code of a process that SIGPIPE ended. Node ignores the signal itself. */
const PIPE_CLOSED = 141;
const FAILED = 2;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Happens when `head` closes the pipe early.
  if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
  process.stderr.write(
    `error: The output cannot be written: ${error.message}.\nhint: Send it to a disk or a program that can take it, and run the command again.\n`,
  );
  process.exit(FAILED);
});
// Messages that can't be written change neither the command's work nor its exit code.
process.stderr.on('error', () => undefined);

const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
