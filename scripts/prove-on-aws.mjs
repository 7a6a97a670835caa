#!/usr/bin/env node
// Proves the stack in an AWS account: deploys a stage of its own, writes, checks, changes the model and migrates, breaks and repairs,
// restores from a backup, deletes everything, and prints the bill. It takes about an hour, most of it waiting, and less than a dollar.
//
//   node scripts/prove-on-aws.mjs --dry-run           prints each step and its commands, and calls nothing
//   node scripts/prove-on-aws.mjs --yes               runs them, with the credentials and the region of the AWS command line
//   node scripts/prove-on-aws.mjs --yes --keep        leaves everything where it is at the end
//
// Needs the AWS command line (version 2) and `npm ci` in this clone.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const call = promisify(execFile);

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    // The stage's name, and seconds between two looks at what takes long.
    id: { type: 'string', default: Date.now().toString(36).slice(-6) },
    'poll-seconds': { type: 'string', default: '10' },
  },
});
const isDry = options['dry-run'];
if (!isDry && !options.yes) {
  console.error(
    'This makes a stack in your AWS account, and deletes it. Run it with --dry-run to see how, with --yes to do it.',
  );
  process.exit(2);
}

const SERVICE = 'prove';
const stack = `${SERVICE}-${options.id}`;
const table = `${stack}-records`;
const restored = `${stack}-restored`;
const folder = join(ROOT, '.esbuild', stack);
const NODES = 200;
/** Prices are those of the command `cost`. */
const prices = JSON.parse(readFileSync(join(ROOT, 'assets/prices.json'), 'utf8'));

/** What commands have printed and later ones need; a dry run, where they print nothing, shows the names. */
const known = {};
const value = (name) => known[name] || `<${name}>`;
const bucket = () => `${stack}-artefacts-${value('account')}`;
const failedBucket = () => `${stack}-failed-${value('account')}-${value('region')}`;
const machine = () => value('CheckMachineArn');
const modelFile = () => join(folder, known.version ?? 'v1', 'edgeloom.config.ts');

const aws = (...words) => ['aws', ...words];
const edgeloom = (...words) => ['edgeloom', words[0], '--config', modelFile(), ...words.slice(1)];

/** The steps. Each says what it proves; a command is made when it is its turn, a check throws what is wrong. */
const STEPS = [
  step('account', 'credentials and region', async () => {
    known.account = await run(aws('sts', 'get-caller-identity', '--query', 'Account', '--output', 'text'));
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    known.region = AWS_REGION ?? AWS_DEFAULT_REGION ?? (await run(aws('configure', 'get', 'region')));
    await absent(`the stack ${stack}`, aws('cloudformation', 'describe-stacks', '--stack-name', stack));
    for (const name of [table, restored])
      await absent(`the table ${name}`, aws('dynamodb', 'describe-table', '--table-name', name));
    await run(aws('s3', 'mb', `s3://${bucket()}`));
    known.isOwn = true;
  }),
  step('deploy', 'the template deploys: types, rights and names are what AWS takes', async () => {
    await deploy('v1');
    const policy = writeFile('stack-policy.json', await run(edgeloom('stack', '--policy')));
    await run(
      aws('cloudformation', 'set-stack-policy', '--stack-name', stack, '--stack-policy-body', `file://${policy}`),
    );
    await run(
      aws('cloudformation', 'update-termination-protection', '--stack-name', stack, '--enable-termination-protection'),
    );
    known.CheckMachineArn = await run(
      aws(
        ...['cloudformation', 'describe-stacks', '--stack-name', stack, '--output', 'text', '--query'],
        "Stacks[0].Outputs[?OutputKey=='CheckMachineArn'].OutputValue",
      ),
    );
    await run(edgeloom('migrate', '--table', table, '--yes'));
  }),
  step('write', 'the event source mapping calls the function, and its role suffices', async () => {
    const items = writeFile('items.jsonl', itemsOf(0, NODES));
    await run(edgeloom('import', items, '--table', table));
    await until(`${NODES} followers are projected`, async () => (await followers(table)) === NODES);
  }),
  step('check', 'the state machine runs the check, its functions may read', async () => {
    const { drift } = await execution({ mode: 'check' });
    expect(sum(drift) === 0, `the check found drift: ${JSON.stringify(drift)}`);
  }),
  step('repair', 'a derived item that somebody deletes is found, and repaired by the command', async () => {
    const key = JSON.stringify({ source: { S: 'USER-0' }, target: { S: '~view' } });
    await run(aws('dynamodb', 'delete-item', '--table-name', table, '--key', key));
    await fails(edgeloom('check', '--table', table), 1);
    await run(edgeloom('check', '--table', table, '--repair'));
    await run(edgeloom('check', '--table', table, '--strict'));
  }),
  step('deploy the same', 'a deployment of the same code and model changes nothing', async () => {
    const before = await lastUpdate();
    await deploy('v1');
    expect(isDry || (await lastUpdate()) === before, 'the stack was updated');
  }),
  step('rename', 'the policy of the stack refuses another table', async () => {
    await failsToDeploy('renamed', /stack policy|not allowed|denied/i);
  }),
  step('change and migrate', 'another model is deployed, and the state machine migrates the table to it', async () => {
    await deploy('v2');
    await execution({ mode: 'migrate' });
    await until('the new search answers', async () => (await found('USER.age', ['--from', '0'])) > 0);
    const { drift } = await execution({ mode: 'check' });
    expect(sum(drift) === 0, `the check found drift: ${JSON.stringify(drift)}`);
  }),
  step('rebuild', 'the state machine rebuilds, its function may write', async () => {
    await execution({ mode: 'rebuild' });
  }),
  step('restore', 'the runbook of docs/operations.md: another table in the place of the own one', async () => {
    known.UUID = await run(
      aws(
        ...[
          'lambda',
          'list-event-source-mappings',
          '--function-name',
          `${stack}-stream`,
          '--output',
          'text',
          '--query',
        ],
        'EventSourceMappings[0].UUID',
      ),
    );
    await run(aws('lambda', 'update-event-source-mapping', '--uuid', value('UUID'), '--no-enabled'));
    const ofRestored = ['--table-name', restored];
    await until('the table can be restored', () =>
      succeeds(
        aws(
          ...[
            'dynamodb',
            'restore-table-to-point-in-time',
            '--source-table-name',
            table,
            '--target-table-name',
            restored,
          ],
          '--use-latest-restorable-time',
        ),
      ),
    );
    await until('the table is restored', () => succeeds(aws('dynamodb', 'wait', 'table-exists', ...ofRestored)));
    const stream = 'StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES';
    await run(aws('dynamodb', 'update-table', ...ofRestored, '--stream-specification', stream));
    const ttl = 'Enabled=true,AttributeName=expiresAt';
    await run(aws('dynamodb', 'update-time-to-live', ...ofRestored, '--time-to-live-specification', ttl));
    const arns = await run(
      aws(
        'dynamodb',
        'describe-table',
        ...ofRestored,
        '--output',
        'text',
        '--query',
        'Table.[TableArn,LatestStreamArn]',
      ),
    );
    [known.TableArn, known.LatestStreamArn] = isDry ? [] : arns.split(/\s+/);
    const elsewhere = [
      ...['--param', `existingTableArn=${value('TableArn')}`],
      ...['--param', `existingStreamArn=${value('LatestStreamArn')}`],
    ];
    await failsToDeploy('v2', /stack policy|not allowed|denied/i, elsewhere);
    const open = '{"Statement":[{"Effect":"Allow","Action":"Update:*","Principal":"*","Resource":"*"}]}';
    await run(aws('cloudformation', 'set-stack-policy', '--stack-name', stack, '--stack-policy-body', open));
    await deploy('v2', elsewhere);
    await run(edgeloom('migrate', '--table', restored, '--yes'));
    await run(edgeloom('check', '--table', restored, '--strict'));
    const items = writeFile('more.jsonl', itemsOf(NODES, NODES + 10));
    await run(edgeloom('import', items, '--table', restored));
    await until('the mapping follows the restored table', async () => (await followers(restored)) === NODES + 10);
  }),
  step('bill', 'what it cost, by the units that CloudWatch counted', bill),
];

/** Deletes everything; each of its commands may find nothing. */
const DELETE = step(
  'delete',
  'a stage whose data goes with its stack leaves nothing, also with failed batches in its bucket',
  async () => {
    const note = writeFile('note.txt', 'An object, as a failed batch would be.');
    await succeeds(aws('s3', 'cp', note, `s3://${failedBucket()}/aws/lambda/note`));
    await succeeds(
      aws(
        'cloudformation',
        'update-termination-protection',
        '--stack-name',
        stack,
        '--no-enable-termination-protection',
      ),
    );
    await run(aws('cloudformation', 'delete-stack', '--stack-name', stack));
    await run(aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', stack));
    for (const name of [table, restored]) await succeeds(aws('dynamodb', 'delete-table', '--table-name', name));
    await run(aws('s3', 'rm', `s3://${bucket()}`, '--recursive'));
    await run(aws('s3', 'rb', `s3://${bucket()}`));
  },
);

const UNPROVEN = `Not proven by this: load and throttling, alarms that mail, a customer-managed key, a VPC, replicas, shards that split, LocalStack,
a gradual deployment (canaryMinutes), the tools Terraform, CDK and SAM, a stream that is switched off and on, and what takes days.`;

let failure;
const began = Date.now();
try {
  for (const one of STEPS) await perform(one);
} catch (error) {
  failure = error;
  console.error(`\nFailed: ${error.message}`);
}
try {
  // What was there before this run is not its own.
  if (!isDry && !known.isOwn) console.log('\nNothing was made, and nothing is deleted.');
  else if (options.keep)
    console.log(`\nThe stack ${stack}, the tables ${table} and ${restored} and the bucket ${bucket()} are left.`);
  else await perform(DELETE);
} catch (error) {
  console.error(`\nThe deletion failed; delete the stack ${stack} by hand. ${error.message}`);
  failure ??= error;
}
rmSync(folder, { recursive: true, force: true });
console.log(`\n${UNPROVEN}`);
if (!isDry && failure === undefined)
  console.log(`\nAll proven, in ${Math.ceil((Date.now() - began) / 60_000)} minutes.`);
process.exitCode = failure === undefined ? 0 : 1;

function step(name, proves, work) {
  return { name, proves, work };
}

async function perform({ name, proves, work }) {
  console.log(`\n== ${name}: ${proves}`);
  await work();
}

/** Runs a command, shows it, and gives what it prints. A dry run only shows it. */
async function run([program, ...words]) {
  const shown = words.map((word) => quoted(word.replace(`${ROOT}/`, '')));
  console.log(`$ ${[program === 'edgeloom' ? 'npx edgeloom' : program, ...shown].join(' ')}`);
  if (isDry) return '';
  const [file, args] =
    program === 'edgeloom' ? [process.execPath, [join(ROOT, 'dist/cli/main.js'), ...words]] : [program, words];
  const { stdout } = await call(file, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** Whether a command succeeds. */
async function succeeds(words) {
  return await run(words).then(
    () => true,
    (error) => {
      console.log(`  ${String(error.stderr).trim().split('\n').at(-1)}`);
      return false;
    },
  );
}

/** Refuses to go on where a command finds something, or cannot tell. */
async function absent(what, words) {
  const error = await run(words).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (isDry) return;
  expect(error !== undefined, `${what} is there already: give another --id`);
  expect(/does not exist|ResourceNotFoundException/.test(error.stderr), `${what}: ${error.stderr}`);
}

/** Runs a command that has to end with an exit code. */
async function fails(words, code) {
  const ended = await run(words).then(
    () => 0,
    (error) => error.code,
  );
  expect(isDry || ended === code, `${words.slice(0, 2).join(' ')} ended with ${ended}, not with ${code}`);
}

/** Looks again and again until something is so; an hour at most. */
async function until(what, look) {
  const end = Date.now() + 3_600_000;
  while (!(await look()) && !isDry) {
    if (Date.now() > end) throw new Error(`waited for an hour: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Number(options['poll-seconds']) * 1000));
  }
  console.log(`  ${what}`);
}

function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

function sum(counts) {
  return Object.values(counts ?? {}).reduce((total, count) => total + count, 0);
}

function quoted(word) {
  if (/^[\w@%+=:,./<>-]+$/.test(word)) return word;
  return word.includes("'") ? JSON.stringify(word) : `'${word}'`;
}

/** Writes a file of this run, and gives its path. */
function writeFile(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Users who all follow user 0. */
function itemsOf(from, to) {
  const lines = [];
  for (let i = from; i < to; i++) {
    lines.push({ source: `USER-${i}`, target: `USER-${i}`, name: `User ${i}`, age: i });
    lines.push({ source: `USER-${i}`, target: 'FOLLOWS-USER-0', since: '2026-01-01' });
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

async function followers(name) {
  return listed(
    await run(edgeloom('inbound', 'FOLLOWS', 'USER-0', '--table', name, '--limit', String(2 * NODES), '--json')),
  );
}

async function found(search, words) {
  try {
    return listed(await run(edgeloom('search', search, ...words, '--table', table, '--json')));
  } catch {
    return 0;
  }
}

function listed(text) {
  return isDry ? 0 : JSON.parse(text).items.length;
}

/** Starts the state machine, and waits for its end; gives its output. */
async function execution(input) {
  const arn = await run(
    aws(
      ...['stepfunctions', 'start-execution', '--state-machine-arn', machine(), '--input', JSON.stringify(input)],
      ...['--query', 'executionArn', '--output', 'text'],
    ),
  );
  const look = aws('stepfunctions', 'describe-execution', '--execution-arn', arn || '<executionArn>');
  let state = {};
  await until(`the execution for ${input.mode} has ended`, async () => {
    state = JSON.parse((await run(look)) || '{"status":"RUNNING"}');
    return state.status !== 'RUNNING';
  });
  if (isDry) return {};
  expect(state.status === 'SUCCEEDED', `the execution for ${input.mode} is ${state.status}: ${state.cause ?? ''}`);
  return JSON.parse(state.output);
}

/** Makes the functions of a version of the model, and deploys the stack. */
async function deploy(version, more = []) {
  known.version = version;
  await makeFunctions(version);
  const zip = join(folder, version, 'functions.zip');
  const place = ['--code', `s3://${bucket()}/functions.zip`, '--zip', zip];
  const parameters = [
    'keepData=false',
    'deletionProtection=false',
    'pointInTimeRecovery=true',
    `tags=prove=${options.id}`,
  ];
  const stage = ['--service', SERVICE, '--stage', options.id, ...parameters.flatMap((one) => ['--param', one])];
  const text = await run(edgeloom('stack', ...stage, ...more, ...place));
  const file = writeFile(`${version}/template.json`, text);
  const { S3Key } = isDry ? { S3Key: '<S3Key>' } : JSON.parse(text).Resources.StreamLambdaFunction.Properties.Code;
  await run(aws('s3', 'cp', zip, `s3://${bucket()}/${S3Key}`));
  await run(
    aws(
      ...['cloudformation', 'deploy', '--template-file', file, '--stack-name', stack, '--s3-bucket', bucket()],
      ...['--capabilities', 'CAPABILITY_NAMED_IAM', '--no-fail-on-empty-changeset'],
    ),
  );
}

async function failsToDeploy(version, reason, more) {
  const before = known.version;
  const error = await deploy(version, more).then(
    () => undefined,
    (thrown) => thrown,
  );
  known.version = before;
  expect(isDry || error !== undefined, `the deployment of ${version} was not refused`);
  if (isDry) return;
  // The command line says that the deployment failed; the stack says why.
  const events = ['cloudformation', 'describe-stack-events', '--stack-name', stack, '--max-items', '50'];
  const told = `${error.stderr} ${await run(aws(...events))}`;
  expect(reason.test(told), `the deployment of ${version} failed for another reason: ${told.slice(0, 2000)}`);
}

async function lastUpdate() {
  const query = ['--query', 'Stacks[0].LastUpdatedTime', '--output', 'text'];
  return await run(aws('cloudformation', 'describe-stacks', '--stack-name', stack, ...query));
}

/** The model, the handlers, their bundles and the zip of these. */
async function makeFunctions(version) {
  const searches = version === 'v1' ? 'name: { fold: true }' : "name: { fold: true }, age: { type: 'number' }";
  writeFile(
    `${version}/edgeloom.config.ts`,
    `import { defineGraph, edge, node } from 'edgeloom';
export default defineGraph({
  table: '${version === 'renamed' ? 'renamed' : 'records'}',
  nodes: { USER: node({ view: ['name'], search: { ${searches} } }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'], inbound: { gsi0: { from: 'since', type: 'date' } } }) },
});
`,
  );
  if (isDry) return;
  const names = ['stream', 'check', 'redrive'];
  for (const name of names) {
    const maker = `deployed${name[0].toUpperCase()}${name.slice(1)}`;
    const text = `import { ${maker} } from 'edgeloom/lambda';\nimport graph from '../edgeloom.config.ts';\nexport const handler = ${maker}(graph);\n`;
    writeFile(`${version}/handlers/${name}.ts`, text);
  }
  const source = join(folder, version);
  const code = join(source, '.code');
  await require('esbuild').build({
    ...{ absWorkingDir: source, outbase: '.', outdir: code, outExtension: { '.js': '.mjs' }, logLevel: 'warning' },
    entryPoints: names.map((name) => `handlers/${name}.ts`),
    ...{
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      mainFields: ['module', 'main'],
    },
    plugins: require('../assets/bundle/plugins.cjs'),
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  const files = readdirSync(code, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const entries = paths.map((path) => [path.slice(code.length + 1), readFileSync(path)]);
  // A zip with one time in it: the same code makes the same zip, and the same key.
  writeFile(
    `${version}/functions.zip`,
    require('fflate').zipSync(Object.fromEntries(entries), { mtime: new Date(1980, 0, 1) }),
  );
}

/** The units and seconds that CloudWatch counted, and their prices. */
async function bill() {
  const range = [
    '--start-time',
    new Date(began).toISOString(),
    '--end-time',
    new Date(Date.now() + 60_000).toISOString(),
  ];
  const counted = async (namespace, metric, name, of) => {
    const words = ['--namespace', namespace, '--metric-name', metric, '--dimensions', `Name=${name},Value=${of}`];
    const text = await run(
      aws('cloudwatch', 'get-metric-statistics', ...words, ...range, '--period', '3600', '--statistics', 'Sum'),
    );
    return isDry ? 0 : JSON.parse(text).Datapoints.reduce((total, { Sum }) => total + Sum, 0);
  };
  const rows = [];
  const add = (what, count, price) => rows.push({ what, count, price, dollars: count * price });
  const { dynamodb, lambda, stepFunctions, cloudwatch } = prices;
  for (const name of [table, restored]) {
    const written = await counted('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', name);
    add(`write units of ${name}`, written, dynamodb.millionWriteUnits / 1e6);
    const read = await counted('AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', name);
    add(`read units of ${name}`, read, dynamodb.millionReadUnits / 1e6);
  }
  for (const name of ['stream', 'check', 'rebuild', 'redrive']) {
    const of = [`${stack}-${name}`];
    add(
      `calls of ${name}`,
      await counted('AWS/Lambda', 'Invocations', 'FunctionName', ...of),
      lambda.millionRequests / 1e6,
    );
    const milliseconds = await counted('AWS/Lambda', 'Duration', 'FunctionName', ...of);
    // All functions but redrive have a gigabyte.
    add(`gigabyte seconds of ${name}`, (milliseconds / 1000) * (name === 'redrive' ? 0.5 : 1), lambda.gigabyteSecond);
  }
  const started = await counted('AWS/States', 'ExecutionsStarted', 'StateMachineArn', machine());
  // A run has ten transitions, or some more.
  add('transitions of the state machine', started * 12, stepFunctions.thousandTransitions / 1000);
  add('alarms for an hour', 40 / 730, cloudwatch.alarmMonth);
  add('a dashboard for an hour', 1 / 730, cloudwatch.dashboardMonth);
  if (isDry) return;
  for (const { what, count, dollars } of rows)
    console.log(`  ${what.padEnd(40)} ${count.toFixed(1).padStart(12)} ${dollars.toFixed(4).padStart(10)}`);
  const total = rows.reduce((all, { dollars }) => all + dollars, 0);
  console.log(
    `  ${'dollars in all, by prices of'.padEnd(40)} ${prices.date.padStart(12)} ${total.toFixed(4).padStart(10)}`,
  );
  console.log(
    `  The account's own bill has the tag prove=${options.id}, a day from now, if the tag is activated for costs.`,
  );
}
