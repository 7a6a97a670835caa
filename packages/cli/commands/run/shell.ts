import { join } from 'node:path';
import { type REPLServer, Recoverable, start } from 'node:repl';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { createWriter } from '../../../../src/client/write/writer.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { cacheFolder } from '../../../../src/deployment/package/cache-folder.ts';
import { failureText } from '../../shared/failure.ts';
import { settingsOf } from '../../shared/model.ts';
import { examples } from '../../shared/options.ts';
import { openSession } from '../../shared/session.ts';
import { readSettings } from '../../shared/settings.ts';
import { sessionReader } from '../../shared/table.ts';

const HELP = `
Names: reader, writer, graph. Expressions may await; Tab completes methods, types of the model and ids that the session has seen.
`;

/** `edgeloom shell`: a Node prompt with a reader and a writer. */
export function shellCommand(command: Command): void {
  command
    .addHelpText('after', HELP + examples('shell', "shell   # then: await reader.getViews(['GOAL-G1'])"))
    .action(async (...args: [object, Command]) => {
      const session = await openSession(readSettings(settingsOf(args)));
      const { graph, store, client } = session;
      try {
        await runShell({ graph, reader: sessionReader(session), writer: createWriter(graph, { store }) });
      } finally {
        client.destroy();
      }
    });
}

/** The names that expressions have. */
interface Names {
  graph: CompiledModel;
  reader: object;
  writer: object;
}

/** Reads expressions and prints their values until Ctrl-D or `.exit`. */
async function runShell(names: Names): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const words = new Set([...names.graph.nodes.keys(), ...names.graph.edges.keys()]);
  let evaluated: Promise<unknown> = Promise.resolve();
  let settle = (): void => undefined;
  const shell = start({
    prompt: isTerminal ? `${names.graph.table.name}> ` : '',
    terminal: isTerminal,
    ignoreUndefined: true,
    preview: false,
    writer: (value: unknown) => {
      // A rejection comes here, and not to the callback of the evaluation.
      settle();
      const text = isEdgeloomError(value) ? failureText(value, false).trimEnd() : inspected(shell, value);
      for (const [id] of text.matchAll(/\b[A-Z][A-Z0-9_]*-[\w-]+/g)) words.add(id);
      return text;
    },
  });
  Object.assign(shell.context, names);
  const { completer, eval: evaluate } = shell;
  let waiting = 0;
  let begun = '';
  // Lines of a pipe come at once; each waits for those before. A line that waits for none is evaluated at once, so that Node hears that it
  // is only the beginning of an expression before the next line comes. Of lines that have waited, the beginnings are kept here.
  const inTurn: typeof evaluate = (code, context, file, done) => {
    const hasWaited = waiting > 0;
    const run = () =>
      new Promise<void>((resolve) => {
        settle = resolve;
        const whole = begun + code;
        const wasBegun = begun !== '';
        begun = '';
        evaluate.call(shell, whole, context, file, (error, value) => {
          if (error instanceof Recoverable && (hasWaited || wasBegun)) {
            begun = whole;
            done(null, undefined);
          } else done(error, value);
          settle();
        });
      });
    const mine = hasWaited ? evaluated.then(run) : run();
    waiting += 1;
    evaluated = mine.then(() => {
      waiting -= 1;
    });
  };
  // A word inside of quotes is a type or an id; outside of them Node knows the names.
  Object.assign(shell, {
    eval: inTurn,
    completer: (line: string, done: (error: Error | null, found?: [string[], string]) => void) => {
      const [, begun] = /['"`]([\w-]*)$/.exec(line) ?? [];
      if (begun === undefined) completer.call(shell, line, done as never);
      else done(null, [[...words].filter((word) => word.startsWith(begun)).sort(), begun]);
    },
  });
  if (isTerminal) await keepHistory(shell, join(cacheFolder(), 'shell-history'));
  await new Promise<void>((resolve) => shell.once('exit', resolve));
  await evaluated;
}

function isEdgeloomError(value: unknown): boolean {
  return value instanceof Error && 'hint' in value;
}

function inspected(shell: REPLServer, value: unknown): string {
  return shell.useColors ? inspect(value, { colors: true, depth: 5 }) : inspect(value, { depth: 5 });
}

/** Lines of earlier shells come with the arrow keys; a folder that cannot be written keeps none. */
function keepHistory(shell: REPLServer, file: string): Promise<void> {
  return new Promise((resolve) => shell.setupHistory(file, () => resolve()));
}
