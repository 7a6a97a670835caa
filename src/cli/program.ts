import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { checkCommand } from './check.ts';
import { costCommand } from './cost.ts';
import { countCommand } from './count.ts';
import { degreeCommand } from './degree.ts';
import { demoCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { edgesCommand } from './edges.ts';
import { failureDocument, failureText } from './failure.ts';
import { getCommand } from './get.ts';
import { importCommand } from './import.ts';
import { inboundCommand } from './inbound.ts';
import { pageCommand } from './page.ts';
import { projectCommand } from './project.ts';
import { rebuildCommand } from './rebuild.ts';
import { redriveCommand } from './redrive.ts';
import { searchCommand } from './search.ts';
import { shardsCommand } from './shards.ts';
import { tableCommand } from './table.ts';

const COMMANDS = [
  demoCommand,
  devCommand,
  tableCommand,
  importCommand,
  projectCommand,
  checkCommand,
  rebuildCommand,
  redriveCommand,
  getCommand,
  edgesCommand,
  degreeCommand,
  inboundCommand,
  searchCommand,
  countCommand,
  pageCommand,
  shardsCommand,
  costCommand,
];

/** Usage or failure. */
const FAILED = 2;

/** Runs the command line; gives the exit code: 0 fine, 1 drift or quarantine found, 2 usage or failure. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = createProgram();
  const json = args.includes('--json');
  try {
    await program.parseAsync([...args], { from: 'user' });
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
    if (json) process.stdout.write(`${JSON.stringify(failureDocument(error))}\n`);
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

function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const program = new Command('edgeloom')
    .description(
      'Write edges, read projections: plain items in one DynamoDB table, everything derived kept by a stream consumer.',
    )
    .version(version)
    .option('--config <file>', 'model file (default: edgeloom.config.ts)')
    .option('--table <name>', "table name instead of the model's")
    .option('--endpoint <url>', 'DynamoDB endpoint, such as http://127.0.0.1:8000')
    .option('--region <region>', 'AWS region')
    .option('--json', 'print one JSON document')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: warn)')
    .showHelpAfterError('(see edgeloom --help)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExamples:\n  edgeloom demo\n  edgeloom dev --port 8000 --data .edgeloom\n  edgeloom search USER.name --prefix Ter --endpoint http://127.0.0.1:8000\n',
    );
  for (const add of COMMANDS) add(program);
  for (const command of allCommands(program)) command.exitOverride();
  return program;
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}
