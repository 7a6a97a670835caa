import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type REPLServer, start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { createReader } from '../../../../src/client/read/reader.ts';
import { createWriter } from '../../../../src/client/write/writer.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { cacheFolder } from '../../../../src/deployment/package/package-files.ts';
import { failureText } from '../../shared/failure.ts';
import { examples } from '../../shared/options.ts';
import { withSession } from '../../shared/session.ts';

const HELP = `
Names: reader, writer, graph. Expressions may await; Tab completes methods, types of the model and ids that the session has seen.
`;

export function shellCommand(command: Command): void {
  command.addHelpText('after', HELP + examples('shell', "shell   # then: await reader.getViews(['GOAL-G1'])")).action(
    withSession(async ({ graph, store }, _options: object) => {
      // The shell shows numbers as JS numbers, not as the exact texts that commands print.
      await runShell({ graph, reader: createReader(graph, { store }), writer: createWriter(graph, { store }) });
    }),
  );
}

interface Names {
  graph: CompiledModel;
  reader: object;
  writer: object;
}

async function runShell(names: Names): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const words = new Set([...names.graph.nodes.keys(), ...names.graph.edges.keys()]);
  const input = isTerminal ? process.stdin : new PassThrough();
  let evaluated: Promise<unknown> = Promise.resolve();
  let settle = (): void => undefined;
  const shell = start({
    ...{ input, output: process.stdout },
    prompt: isTerminal ? `${names.graph.table.name}> ` : '',
    terminal: isTerminal,
    ignoreUndefined: true,
    preview: false,
    writer: (value: unknown) => {
      // A rejected promise ends here, not in the callback of `eval`.
      settle();
      const text = isEdgeloomError(value) ? failureText(value).trimEnd() : inspected(shell, value);
      for (const [id] of text.matchAll(/\b[A-Z][A-Z0-9_]*-[\w-]+/g)) words.add(id);
      return text;
    },
  });
  Object.assign(shell.context, names);
  const { completer, eval: evaluate } = shell;
  const noted: typeof evaluate = (code, context, file, done) => {
    evaluated = new Promise<void>((resolve) => {
      settle = resolve;
    });
    evaluate.call(shell, code, context, file, (error, value) => {
      done(error, value);
      settle();
    });
  };
  Object.assign(shell, {
    eval: noted,
    completer: (line: string, done: (error: Error | null, found?: [string[], string]) => void) => {
      const [, begun] = /['"`]([\w-]*)$/.exec(line) ?? [];
      if (begun === undefined) completer.call(shell, line, done as never);
      else done(null, [[...words].filter((word) => word.startsWith(begun)).sort(), begun]);
    },
  });
  const exited = new Promise<void>((resolve) => shell.once('exit', resolve));
  if (isTerminal) await keepHistory(shell, join(cacheFolder(), 'shell-history'));
  if (input instanceof PassThrough) await Promise.race([exited, feed(shell, input, () => evaluated)]);
  await exited;
  process.stdin.destroy();
}

/** Feeds piped lines to the shell one by one. Otherwise, the shell would start evaluating all of them at once. */
async function feed(shell: REPLServer, input: PassThrough, evaluated: () => Promise<unknown>): Promise<void> {
  let isClosed = false;
  shell.once('close', () => {
    isClosed = true;
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const taken = once(shell, 'line');
    input.write(`${line}\n`);
    await taken;
    await evaluated();
    // `.exit` closes the shell a moment later.
    await setImmediate();
    if (isClosed) return;
  }
  input.end();
}

function isEdgeloomError(value: unknown): boolean {
  return value instanceof Error && 'hint' in value;
}

function inspected(shell: REPLServer, value: unknown): string {
  return shell.useColors ? inspect(value, { colors: true, depth: 5 }) : inspect(value, { depth: 5 });
}

function keepHistory(shell: REPLServer, file: string): Promise<void> {
  return new Promise((resolve) => shell.setupHistory(file, () => resolve()));
}
