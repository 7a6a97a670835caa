import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { failureDocument } from '../failure-document.ts';
import { initCommand } from './commands/project/init.ts';
import { stackCommand } from './commands/project/stack.ts';
import { countCommand } from './commands/read/count.ts';
import { degreeCommand } from './commands/read/degree.ts';
import { edgeCommand } from './commands/read/edge.ts';
import { edgesCommand } from './commands/read/edges.ts';
import { getCommand } from './commands/read/get.ts';
import { inboundCommand } from './commands/read/inbound.ts';
import { nodesCommand } from './commands/read/nodes.ts';
import { pageCommand } from './commands/read/page.ts';
import { searchCommand } from './commands/read/search.ts';
import { shardsCommand } from './commands/read/shards.ts';
import { demoCommand } from './commands/run/demo.ts';
import { devCommand } from './commands/run/dev.ts';
import { projectCommand } from './commands/run/project.ts';
import { studioCommand } from './commands/run/studio.ts';
import { waitCommand } from './commands/run/wait.ts';
import { costCommand } from './commands/table/cost.ts';
import { migrateCommand } from './commands/table/migrate.ts';
import { tableCommand } from './commands/table/table.ts';
import { checkCommand } from './commands/trust/check.ts';
import { explainCommand } from './commands/trust/explain.ts';
import { rebuildCommand } from './commands/trust/rebuild.ts';
import { redriveCommand } from './commands/trust/redrive.ts';
import { statusCommand } from './commands/trust/status.ts';
import { importCommand } from './commands/write/import.ts';
import { deleteCommand, putCommand, updateCommand } from './commands/write/item.ts';
import { failureText } from './session/failure.ts';
import { shownLines } from './session/shown.ts';

const COMMANDS = [
  demoCommand,
  devCommand,
  tableCommand,
  migrateCommand,
  importCommand,
  putCommand,
  updateCommand,
  deleteCommand,
  projectCommand,
  waitCommand,
  statusCommand,
  studioCommand,
  explainCommand,
  checkCommand,
  rebuildCommand,
  redriveCommand,
  getCommand,
  edgeCommand,
  edgesCommand,
  nodesCommand,
  degreeCommand,
  inboundCommand,
  searchCommand,
  countCommand,
  pageCommand,
  shardsCommand,
  costCommand,
  initCommand,
  stackCommand,
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
    if (json) process.stdout.write(`${shownLines(JSON.stringify(failureDocument(error)))}\n`);
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
