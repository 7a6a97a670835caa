import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { packageFile } from '../../src/deployment/package/package-files.ts';
import { toJson } from '../../src/foundation/exact-json.ts';
import { failureDocument } from '../../src/foundation/failure-document.ts';
import { printableLines } from '../../src/foundation/printable.ts';
import { COMMANDS } from './command-list.ts';
import { failureText } from './shared/failure.ts';

/** Usage or failure. */
const FAILED = 2;

/** Runs the command line; gives the exit code: 0 fine, 1 drift or quarantine found, 2 usage or failure. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = createProgram();
  const json = args.includes('--json');
  try {
    const [first, ...named] = program.parseOptions([...args]).operands;
    // `help COMMAND` alone would show the command as it is before it is loaded.
    const isHelp = first === 'help' && named.length > 0;
    await program.parseAsync(isHelp ? [...named, '--help'] : [...args], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      const message = error.message.replace(/^error: /, '');
      if (json)
        process.stdout.write(
          `${JSON.stringify({ error: { code: 'usage', message, hint: 'See edgeloom --help.' } })}\n`,
        );
      return FAILED;
    }
    if (json) process.stdout.write(`${printableLines(toJson(failureDocument(error)))}\n`);
    process.stderr.write(failureText(error, asksForStack(args)));
    return FAILED;
  }
}

/** Read off the arguments: the failure may be that they could not be parsed. */
function asksForStack(args: readonly string[]): boolean {
  const given = args.indexOf('--log-level');
  const level =
    given >= 0 ? args[given + 1] : args.find((arg) => arg.startsWith('--log-level='))?.slice('--log-level='.length);
  return level === 'debug' || level === 'trace';
}

/** Makes the program with its commands, whose options are loaded when they are named. */
export function createProgram(): Command {
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
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExamples:\n  edgeloom demo\n  edgeloom dev --port 8000 --data .edgeloom\n  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 edgeloom search USER.name --prefix Ter\n',
    );
  for (const { name, group, description } of COMMANDS)
    program.command(name).description(description).helpGroup(`${group}:`);
  // Loading all commands takes ten times as long as showing their list.
  program.hook('preSubcommand', async (_program, named) => {
    const listed = COMMANDS.find(({ name }) => name === named.name());
    if (listed !== undefined) (await listed.load())(named);
  });
  return program;
}
