import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { packageFile } from '../../src/deployment/package/package-files.ts';
import { toJson } from '../../src/foundation/exact-json.ts';
import { printableLines } from '../../src/foundation/printable.ts';
import { COMMANDS } from './command-list.ts';
import { commandFailure, failureText } from './shared/failure.ts';
import { refuseSecondValues } from './shared/repeated.ts';
import { meantByWords, meantCommand, meantOption } from './shared/synonyms.ts';

const FAILED = 2;

/** Runs the command line and returns the exit code: 0 success, 1 something found (such as drift), 2 wrong usage or failure. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = createProgram(args);
  const json = args.includes('--json');
  try {
    const [first, ...named] = program.parseOptions([...args]).operands;
    // Commander's own `help COMMAND` shows the command before its options are loaded.
    const isHelp = first === 'help' && named.length > 0;
    const words = isHelp ? named : [first, ...named];
    if (asksForHelp(args)) refuseUnknown(program, words[0]);
    await program.parseAsync(isHelp ? [...named, '--help'] : [...args], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      const { message, hint = 'See edgeloom --help.' } = usageFailure(program, args, error.message);
      if (json) printFailure({ error: { code: 'usage', message, hint } });
      return FAILED;
    }
    if (json) printFailure(commandFailure(error));
    process.stderr.write(failureText(error, { withStack: asksForStack(args) }));
    return FAILED;
  }
}

/** Escapes the text, because failures may quote input with control characters for the terminal. */
function printFailure(failure: object): void {
  process.stdout.write(`${printableLines(toJson(failure))}\n`);
}

function asksForHelp(args: readonly string[]): boolean {
  return args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

/** For an unknown command, Commander would show the program's help. */
function refuseUnknown(program: Command, word: string | undefined): void {
  if (word === undefined || word === 'help' || program.commands.some((one) => one.name() === word)) return;
  program.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
}

/** Reads the raw arguments, because parsing them may be what failed. */
function asksForStack(args: readonly string[]): boolean {
  const given = args.indexOf('--log-level');
  const level =
    given >= 0 ? args[given + 1] : args.find((arg) => arg.startsWith('--log-level='))?.slice('--log-level='.length);
  return level === 'debug' || level === 'trace';
}

function usageFailure(program: Command, args: readonly string[], text: string): { message: string; hint?: string } {
  const message = text.replace(/^error: /, '').trimEnd();
  const command = namedCommand(program, args);
  const chain = ancestry(command);
  const advised = {
    words: chain.slice(1).map((one) => one.name()),
    commands: command.commands.map((one) => one.name()),
    options: optionsOf(chain),
  };
  const [, wrong, right] = /^(option .* is invalid\.) (.+)$/.exec(message) ?? [];
  if (wrong !== undefined) return { message: wrong, hint: right! };
  const usage = `Write ${[...chain.map((one) => one.name()), command.usage()].join(' ')}.`;
  if (message.startsWith('missing required argument')) return { message: `${message}.`, hint: usage };
  if (message.startsWith('too many arguments')) {
    const taken = command.registeredArguments.length;
    // A surplus word may stand for a global option only if the command takes no words.
    const able = taken === 0 ? advised : { ...advised, options: optionsOf([command]) };
    const meant = meantByWords(command.args, taken, able);
    return { message, hint: meant === undefined ? usage : `Did you mean ${meant}?` };
  }
  const [, kind, word] = /^unknown (command|option) '([^']*)'/.exec(message) ?? [];
  if (word === undefined) return { message };
  const meant = kind === 'command' ? meantCommand(word, advised) : meantOption(word, advised);
  if (meant === undefined) return { message };
  return { message, hint: `Did you mean ${meant}?` };
}

function namedCommand(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) command = command.commands.find((one) => one.name() === word) ?? command;
  return command;
}

function optionsOf(commands: readonly Command[]): string[] {
  return commands.flatMap(({ options }) => options.map(({ long }) => long ?? ''));
}

function ancestry(command: Command): Command[] {
  return command.parent === null ? [command] : [...ancestry(command.parent), command];
}

/** @param args the command line, in which usage errors look up the named command. */
export function createProgram(args: readonly string[] = []): Command {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    version: string;
  };
  const program = new Command('edgeloom')
    .description(
      'Write edges, read projections: plain items in one DynamoDB table, everything derived kept by a stream consumer.',
    )
    .version(version)
    .option('--config <file>', 'model file (default: edgeloom.config.ts)')
    .option('--table <name>', "table name instead of the model's")
    .option('--endpoint <url>', 'DynamoDB endpoint, such as http://127.0.0.1:8000 (default: AWS_ENDPOINT_URL_DYNAMODB)')
    .option('--region <region>', 'AWS region')
    .option('--json', 'print one JSON document')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: warn)')
    .showHelpAfterError('(see edgeloom --help)')
    // Turned off, because `usageFailure` makes better suggestions.
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        const { message, hint } = usageFailure(program, args, text);
        write(`error: ${printableLines(message)}\n${hint === undefined ? '' : `hint: ${printableLines(hint)}\n`}`);
      },
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExamples:\n  edgeloom demo\n  edgeloom dev --port 8000 --data .edgeloom\n  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 edgeloom search USER.name --prefix Ter\n',
    );
  refuseSecondValues(program);
  for (const { name, group, description } of COMMANDS)
    program.command(name).description(description).helpGroup(`${group}:`);
  // Load only the named command: loading all of them is slow.
  program.hook('preSubcommand', async (_program, named) => {
    const listed = COMMANDS.find(({ name }) => name === named.name());
    if (listed === undefined) return;
    (await listed.load())(named);
    refuseSecondValues(named);
  });
  return program;
}
