#!/usr/bin/env node
// The SDK prints a notice about future Node versions on every start; it is no news to somebody who runs a command.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
