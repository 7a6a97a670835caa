#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../src/deployment/package/cache-folder.ts';

// From Node 22 on what was compiled is kept for the next run. Node's types are those of the oldest release that is served.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(cacheFolder(), 'compiled'));

// The SDK prints a notice about future Node versions on every start; it is no news to somebody who runs a command.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** As of a program that SIGPIPE ends, which Node ignores. */
const PIPE_CLOSED = 141;
// A program that has read enough closes the pipe, as `head` does in `edgeloom list nodes USER | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(PIPE_CLOSED);
});

const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
