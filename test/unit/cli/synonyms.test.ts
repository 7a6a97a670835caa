import { describe, expect, it, vi } from 'vitest';
import { createProgram, runCommandLine } from '../../../packages/cli/program.ts';
import { COMMAND_SYNONYMS, OPTION_OF_WORD, OPTION_SYNONYMS } from '../../../packages/cli/shared/synonyms.ts';

/** Runs a command line that is wrong; gives what it says. */
async function said(...args: string[]): Promise<{ hint: string; text: string }> {
  const texts: string[] = [];
  const [out, error] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => texts.push(String(text)) > 0),
  );
  try {
    expect(await runCommandLine(args)).toBe(2);
    const text = texts.splice(0).join('');
    await runCommandLine([...args, '--json']);
    const line = texts.find((one) => one.startsWith('{')) ?? '{"error":{"hint":""}}';
    return { text, hint: (JSON.parse(line) as { error: { hint: string } }).error.hint };
  } finally {
    out!.mockRestore();
    error!.mockRestore();
  }
}

describe('a guess at a command or option', () => {
  it.each([
    ['inbound USER-U1 GOALMEMBERSHIP', 'edgeloom list inbound ID TYPE'],
    ['repair', 'edgeloom check --repair'],
    ['node USER-U1', 'edgeloom get ID'],
    ['edges GOAL-G1', 'edgeloom list edges ID'],
    ['query USER.name', 'edgeloom search TYPE.attribute'],
    ['stats', 'edgeloom status'],
    ['init-table', 'edgeloom table create'],
    ['putItem USER-U1', 'edgeloom put ID JSON'],
    ['db push', 'edgeloom migrate'],
    ['table init', 'edgeloom table create'],
    ['list node USER', 'edgeloom list nodes TYPE'],
    ['list USER-U1', 'edgeloom list edges USER-U1, or edgeloom list inbound USER-U1 TYPE'],
    ['list GOAL', 'edgeloom list nodes GOAL'],
    ['\\d', 'edgeloom table describe'],
    ['serach USER.name', 'edgeloom search'],
    ['list inbuond USER-U1', 'edgeloom list inbound'],
    ['delete USER-U1 --cascade', '--with-edges'],
    ['search USER.name --begins-with Te', '--prefix'],
    ['search USER.name --max-items 3', '--limit'],
    ['list inbound U T --sort-by x', '--order'],
    ['list inbound U T --desc', '--reverse'],
    ['put USER-U1 {} --if-not-exists', '--if-absent'],
    ['update USER-U1 {} --condition a=1', '--if'],
    ['get USER-U1 --endpoint-url http://127.0.0.1:8000', '--endpoint'],
    ['get USER-U1 --table-name x', '--table'],
    ['get USER-U1 --profile x', 'set AWS_PROFILE in the environment'],
    ['check --fix', '--repair'],
    ['migrate --auto-approve', '--yes'],
    ['migrate --dryrun', '--dry-run'],
    ['check --reapir', '--repair'],
    ['outbound GOAL-G1', 'edgeloom list edges ID'],
    ['upsertNode USER-U1', 'edgeloom update ID JSON --upsert'],
    ['deleteNodeWithEdges USER-U1', 'edgeloom delete ID --with-edges'],
    ['getNode USER-U1', 'edgeloom get ID --stored'],
    ['search USER.name Terui', '--equals Terui'],
    ['search USER.name Jonas Terui', "--equals 'Jonas Terui'"],
    ['count search USER.name Terui', '--equals Terui'],
    ['list inbound USER-U1 GOALMEMBERSHIP LEAD', '--equals LEAD'],
    ['watch inbound USER-U1 GOALMEMBERSHIP role=LEAD', '--where role=LEAD'],
    ['list edges GOAL-G1 GOALMEMBERSHIP USER-U1', 'edgeloom get GOAL-G1 GOALMEMBERSHIP USER-U1'],
    ['check USER-U1', '--source USER-U1'],
    ['dev 8000', '--port 8000'],
    ['init x sam', '--deploy sam'],
    ['stack prod', '--stage prod'],
    ['stack observe=true', '--param observe=true'],
    ['drill --stack edgeloom-prod Drift', '--alarm Drift'],
    ['wait 30', '--for 30'],
    ['migrate model.ts', '--config model.ts'],
    ['status goals', '--table goals'],
  ])('%s ends at %s', async (line, meant) => {
    const { text, hint } = await said(...line.split(' '));
    expect(hint).toBe(`Did you mean ${meant}?`);
    expect(text).toContain(`hint: ${hint}`);
  });

  it.each([
    ['init', 'Write edgeloom init [options] <dir>.'],
    ['total PROJECT-P1 TASK open', 'Write edgeloom total [options] <id> <type>.'],
    ['init x --deploy y', 'Allowed choices are serverless, sam, terraform, cdk.'],
    ['get USER-U1 --config a.ts --config b.ts', 'a.ts is given too: leave one of them out.'],
    ['get USER-U1 --log-level warn --log-level info', 'warn is given too: leave one of them out.'],
    ['migrate --drop inbound:STOCK@1 --drop view:BIN', 'inbound:STOCK@1 is given too: leave one of them out.'],
    ['stack --stage prod --stage test', 'prod is given too: leave one of them out.'],
    ['stack --param observe=true --param observe=false', 'observe has a value already: leave one of them out.'],
    ['cost --type USER=1 --type USER=2', 'USER has a value already: leave one of them out.'],
    ['init x --index gsi0=one --index gsi0=two', 'gsi0 has a value already: leave one of them out.'],
  ])('%s says what to write', async (line, hint) => {
    const wrong = await said(...line.split(' '));
    expect(wrong.hint).toBe(hint);
    expect(wrong.text).toContain(`\nhint: ${hint}\n`);
  });

  it('that is like nothing gets no advice', async () => {
    expect((await said('xyzzyx')).hint).toBe('See edgeloom --help.');
  });
});

/** The command that words name, with its options loaded. */
async function commandOf(words: readonly string[]) {
  const program = createProgram();
  const muted = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await program.parseAsync([...words, '--help'], { from: 'user' }).catch(() => undefined);
  muted.mockRestore();
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return { program, command };
}

it('every remedy names a command and options that there are', async () => {
  const flags = new Set<string>();
  for (const remedy of new Set(Object.values(COMMAND_SYNONYMS))) {
    const words = remedy
      .replace(/'.*'/, '')
      .split(' ')
      .filter((word) => /^-*[a-z]/.test(word) && word !== '');
    const { program, command } = await commandOf(words.filter((word) => !word.startsWith('-')));
    const plain = words.filter((word) => /^[a-z]+$/.test(word));
    const chain = command.parent?.parent ? [command.parent.name(), command.name()] : [command.name()];
    expect(command === program ? [] : chain, remedy).toEqual(plain);
    const options = [...program.options, ...command.options].map(({ long }) => long);
    for (const option of words.filter((word) => word.startsWith('--'))) expect(options, remedy).toContain(option);
    for (const one of [command, ...command.commands]) for (const { long } of one.options) flags.add(long ?? '');
    for (const { long } of program.options) flags.add(long ?? '');
  }
  for (const remedies of Object.values(OPTION_SYNONYMS))
    for (const remedy of remedies.filter((one) => one.startsWith('-'))) expect([...flags]).toContain(remedy);
  for (const [option] of OPTION_OF_WORD) expect([...flags]).toContain(option);
});

it('no synonym is a name that there is', async () => {
  const { program } = await commandOf([]);
  for (const command of program.commands) expect(Object.keys(COMMAND_SYNONYMS)).not.toContain(command.name());
});
