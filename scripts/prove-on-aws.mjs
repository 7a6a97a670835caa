#!/usr/bin/env node
// Proves the stack in an AWS account: deploys a stage of its own, writes, checks, migrates, rolls back, breaks and repairs, makes alarms ring,
// deploys gradually, restores a backup, deletes everything, prints the bill and writes a page. Takes about four hours and two dollars. Nobody has
// run it in an account yet; a test runs it on a simulator, which refuses calls that AWS's models lack.
//
//   node scripts/prove-on-aws.mjs --dry-run           prints each step and its commands, and calls nothing
//   node scripts/prove-on-aws.mjs --yes               runs them, with the credentials and region of the AWS command line
//   node scripts/prove-on-aws.mjs --yes --keep        deletes nothing at the end
//   node scripts/prove-on-aws.mjs --yes --log FILE    writes the page there; default: prove-on-aws-DAY-ID.md in this clone
//
// Needs the AWS command line (version 2) and `npm ci` in this clone.
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    // The name of the stage, and the seconds between polls.
    id: { type: 'string', default: Date.now().toString(36).slice(-6) },
    'poll-seconds': { type: 'string', default: '10' },
    log: { type: 'string' },
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
/** A stack that deploys gradually: the Serverless Framework makes no versions. */
const gradual = `${stack}g`;
const table = `${stack}-records`;
const restored = `${stack}-restored`;
const folder = join(ROOT, '.esbuild', stack);
const NODES = 200;
const prices = JSON.parse(readFileSync(join(ROOT, 'assets/prices.json'), 'utf8'));

const HANDLERS = ['stream', 'check', 'redrive', 'observe', 'feed'];
const FUNCTIONS = ['stream', 'check', 'rebuild', 'redrive', 'observe', 'feed'];
const DEAD_LETTERS = ['dead-letters', 'schedule-dead-letters', 'feed-dead-letters.fifo'];
const PARAMETERS = [
  ...['keepData=false', 'deletionProtection=false', 'pointInTimeRecovery=true'],
  `tags=prove=${options.id}`,
];

const day = new Date().toISOString().slice(0, 10);
const page = options.log ?? join(ROOT, `prove-on-aws-${day}-${options.id}.md`);
const results = [];
const transcript = [];
function tell(line) {
  console.log(line);
  transcript.push(line);
}

/** Values that earlier commands printed. A dry run shows their names instead. */
const known = {};
const value = (name) => known[name] || `<${name}>`;
const bucket = () => `${stack}-artefacts-${value('account')}`;
const failedBucket = () => `${stack}-failed-${value('account')}-${value('region')}`;
const machine = () => value('CheckMachineArn');
const modelFile = () => join(folder, known.version ?? 'v1', 'edgeloom.config.ts');

const aws = (...words) => ['aws', ...words];
const edgeloom = (...words) => ['edgeloom', words[0], '--config', modelFile(), ...words.slice(1)];
const serverless = (more) => ['npx', 'serverless', 'deploy', '--stage', options.id, ...more];

const LIVE = aws(
  ...['lambda', 'get-alias', '--function-name', `${gradual}-stream`, '--name', 'live'],
  ...['--query', 'FunctionVersion', '--output', 'text'],
);

/** Alarms on missing data begin in the ALARM state. */
const isOfMissingData = (alarm) => ['NotPolled', 'RedriveMissing', 'ObserverMissing'].includes(alarm);

/** Faults, and the alarms that they set off. A cause acts once, or until the alarms are set off. */
const FAULTS = [
  {
    name: 'an item that nothing can be made of',
    alarms: ['Quarantined', 'QuarantineNotEmpty', 'CheckQuarantined'],
    cause: {
      once: async () => {
        const bad = { source: { S: 'USER-1' }, target: { S: 'FOLLOWS-USER-0' }, since: { S: 'someday' } };
        await putItem(bad);
        await alarmIs('Quarantined', 'ALARM');
        await execution({ mode: 'check' });
      },
    },
    remedy: async () => {
      await run(edgeloom('import', writeFile('good.jsonl', itemsOf(1, 2)), '--table', table));
      await run(edgeloom('redrive', '--table', table));
    },
  },
  {
    name: 'a derived item that somebody deletes',
    alarms: ['ObservedDrift', 'Drift'],
    cause: {
      once: async () => {
        const view = JSON.stringify({ source: { S: 'USER-0' }, target: { S: '~view' } });
        await run(aws('dynamodb', 'delete-item', '--table-name', table, '--key', view));
        await alarmIs('ObservedDrift', 'ALARM');
        await execution({ mode: 'check' });
      },
    },
    remedy: () => run(edgeloom('check', '--table', table, '--repair')),
  },
  {
    name: 'executions with a wrong input',
    alarms: ['CheckErrors', 'RebuildErrors', 'CheckFailed'],
    cause: {
      once: async () => {
        for (const mode of ['check', 'rebuild', 'check', 'rebuild']) await startExecution({ mode, maxRcu: -1 });
      },
    },
    remedy: async () => {},
  },
  {
    name: 'events that are none',
    alarms: ['RedriveErrors', 'ObserveErrors', 'FeedErrors'],
    cause: {
      once: async () => {
        await changeEnvironment('observe', (variables) => ({ ...variables, EDGELOOM_LOG_LEVEL: 'loud' }));
        for (let i = 0; i < 2; i++)
          for (const name of ['redrive', 'observe', 'feed']) await invoke(name, '{"Records":1}');
      },
    },
    remedy: () => changeEnvironment('observe', (variables) => ({ ...variables, EDGELOOM_LOG_LEVEL: 'info' })),
  },
  {
    name: 'functions without executions',
    alarms: [
      'CheckThrottles',
      'RebuildThrottles',
      'RedriveThrottles',
      'ObserveThrottles',
      'FeedThrottles',
      'StreamThrottles',
    ],
    cause: {
      once: async () => {
        for (const name of FUNCTIONS)
          await run(
            aws(
              ...['lambda', 'put-function-concurrency', '--function-name', `${stack}-${name}`],
              ...['--reserved-concurrent-executions', '0'],
            ),
          );
        for (let i = 0; i < 5; i++) for (const name of FUNCTIONS) await invoke(name, '{}');
      },
      again: async () => await putUser(),
    },
    remedy: async () => {
      for (const name of FUNCTIONS)
        await run(aws('lambda', 'delete-function-concurrency', '--function-name', `${stack}-${name}`));
      // The first batch after the pause is old.
      await putUser();
    },
    also: ['IteratorAge'],
  },
  {
    name: 'a stream function that does not start',
    alarms: ['StreamErrors', 'FailedEvents', 'FailedBatches'],
    cause: {
      once: async () => {
        await mappingOfStream();
        await changeEnvironment('stream', (variables) => ({ ...variables, EDGELOOM_LOG_LEVEL: 'loud' }));
        await run(changedMapping('--maximum-retry-attempts', '0'));
      },
      again: async () => await putUser(),
    },
    remedy: async () => {
      await changeEnvironment('stream', (variables) => ({ ...variables, EDGELOOM_LOG_LEVEL: 'info' }));
      await run(changedMapping('--maximum-retry-attempts', '20'));
    },
  },
  {
    name: 'a mapping that is off',
    alarms: ['NotPolled', 'Unverified'],
    cause: {
      once: async () => {
        await mappingOfStream();
        await run(changedMapping('--no-enabled'));
        await putUser();
      },
    },
    remedy: () => run(changedMapping('--enabled')),
  },
  {
    name: 'schedules that are off',
    alarms: ['RedriveMissing', 'ObserverMissing'],
    cause: {
      once: async () => {
        for (const name of ['redrive', 'observe'])
          await run(aws('events', 'disable-rule', '--name', `${stack}-${name}`));
      },
    },
    remedy: async () => {
      for (const name of ['redrive', 'observe']) await run(aws('events', 'enable-rule', '--name', `${stack}-${name}`));
    },
  },
  {
    name: 'messages that nobody takes',
    alarms: ['DeadLetters', 'ScheduleDeadLetters', 'FeedDeadLetters'],
    cause: {
      once: async () => {
        for (const name of DEAD_LETTERS) {
          const query = ['--query', 'QueueUrl', '--output', 'text'];
          known[name] = await run(aws('sqs', 'get-queue-url', '--queue-name', `${stack}-${name}`, ...query));
          const group = name.endsWith('.fifo') ? ['--message-group-id', '1', '--message-deduplication-id', '1'] : [];
          await run(aws('sqs', 'send-message', '--queue-url', value(name), '--message-body', 'A trial.', ...group));
        }
      },
    },
    remedy: async () => {
      for (const name of DEAD_LETTERS) await run(aws('sqs', 'purge-queue', '--queue-url', value(name)));
    },
  },
];

/** Each command is built when its step runs. A check throws if something is wrong. */
const STEPS = [
  step('account', 'credentials and region', async () => {
    known.account = await run(aws('sts', 'get-caller-identity', '--query', 'Account', '--output', 'text'));
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    known.region = AWS_REGION ?? AWS_DEFAULT_REGION ?? (await run(aws('configure', 'get', 'region')));
    await absent(`the stack ${stack}`, aws('cloudformation', 'describe-stacks', '--stack-name', stack));
    await absent(`the stack ${gradual}`, aws('cloudformation', 'describe-stacks', '--stack-name', gradual));
    for (const name of [table, restored, `${gradual}-records`])
      await absent(`the table ${name}`, aws('dynamodb', 'describe-table', '--table-name', name));
    await run(aws('s3', 'mb', `s3://${bucket()}`));
    known.isOwn = true;
  }),
  step('deploy', 'the stack deploys by serverless deploy: types, rights and names are what AWS takes', async () => {
    await deploy('v1');
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
  step('observe and feed', 'the observer starts with its rights, and the feed is called', async () => {
    await observed();
    await until(
      'the feed was called',
      async () => (await counted('AWS/Lambda', 'Invocations', 'FunctionName', `${stack}-feed`)) > 0,
    );
  }),
  step('check', 'the state machine runs the check, its functions may read', async () => {
    const { drift } = await execution({ mode: 'check' });
    expect(sum(drift) === 0, `the check found drift: ${JSON.stringify(drift)}`);
  }),
  step('verdict', 'with a clean check as its base, the observer has verified everything', async () => {
    await until('the observer has verified everything', async () => {
      const { heldBy } = await observed();
      // If the last check began too early, the observer waits for another.
      if (/check/.test(heldBy ?? '')) await execution({ mode: 'check' });
      const { verifiedThrough, drift } = await observed();
      expect(isDry || drift === 0, `the observer knows ${drift} differences`);
      return typeof verifiedThrough === 'string';
    });
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
  step(
    'roll back',
    'the runbook of docs/how-to/runbooks.md: the version before, and what the migration had added is gone',
    async () => {
      await deploy('v1');
      await run(edgeloom('migrate', '--table', table, '--yes', '--undo'));
      await run(edgeloom('check', '--table', table, '--strict'));
      await deploy('v2');
      await execution({ mode: 'migrate' });
      await until('the new search answers again', async () => (await found('USER.age', ['--from', '0'])) > 0);
    },
  ),
  ...FAULTS.map(({ name, alarms, cause, remedy, also = [] }) =>
    step(`alarms: ${name}`, `${[...alarms, ...also].join(', ')} ring`, async () => {
      for (const alarm of alarms) if (isOfMissingData(alarm)) await alarmIs(alarm, 'OK');
      await cause.once?.();
      for (const alarm of alarms)
        await alarmIs(alarm, isOfMissingData(alarm) ? 'INSUFFICIENT_DATA' : 'ALARM', cause.again);
      await remedy();
      for (const alarm of also) await alarmIs(alarm, 'ALARM');
    }),
  ),
  step(
    'stream off and on',
    'the alarm StreamReplaced rings, and its runbook of docs/how-to/alarms.md ends it',
    async () => {
      const off = ['--stream-specification', 'StreamEnabled=false'];
      await run(aws('dynamodb', 'update-table', '--table-name', table, ...off));
      await until('the stream is off', () => succeeds(aws('dynamodb', 'wait', 'table-exists', '--table-name', table)));
      const on = 'StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES';
      await until('the stream is on', () =>
        succeeds(aws('dynamodb', 'update-table', '--table-name', table, '--stream-specification', on)),
      );
      await alarmIs('StreamReplaced', 'ALARM');
      const query = ['--query', 'Table.LatestStreamArn', '--output', 'text'];
      known.LatestStreamArn = await run(aws('dynamodb', 'describe-table', '--table-name', table, ...query));
      await deploy('v2', [`existingStreamArn=${value('LatestStreamArn')}`]);
      await run(edgeloom('migrate', '--table', table, '--yes'));
      const items = writeFile('after.jsonl', itemsOf(NODES, NODES + 5));
      await run(edgeloom('import', items, '--table', table));
      await until('the new stream is projected', async () => (await followers(table)) === NODES + 5);
    },
  ),
  step('deploy gradually', 'CodeDeploy moves the alias to a new version in five minutes', async () => {
    await deployByTemplate('v1');
    const before = await run(LIVE);
    await deployByTemplate('v2');
    expect(isDry || (await run(LIVE)) !== before, 'the alias stayed at the version before');
  }),
  step('take back', 'CodeDeploy takes a version back that fails, and the deployment is rolled back', async () => {
    const before = await run(LIVE);
    let isOver = false;
    const deployment = deployByTemplate('broken').then(
      () => undefined,
      (error) => error,
    );
    const ended = deployment.finally(() => {
      isOver = true;
    });
    // The new version gets only a tenth of the batches, so many are needed.
    for (let i = 0; !isOver && !isDry; i = (i + 1) % NODES) {
      const item = JSON.stringify({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `Name ${i}` } });
      await succeeds(aws('dynamodb', 'put-item', '--table-name', `${gradual}-records`, '--item', item));
    }
    const error = await ended;
    expect(isDry || error !== undefined, 'the deployment of the broken version was not refused');
    expect((await run(LIVE)) === before, 'the alias is not at the version before');
    await run(aws('cloudformation', 'delete-stack', '--stack-name', gradual));
    await run(aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', gradual));
    known.version = 'v2';
  }),
  step('rebuild', 'the state machine rebuilds, its function may write', async () => {
    await execution({ mode: 'rebuild' });
  }),
  step('restore', 'the runbook of docs/how-to/runbooks.md: another table in the place of the own one', async () => {
    await mappingOfStream();
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
    const elsewhere = [`existingTableArn=${value('TableArn')}`, `existingStreamArn=${value('LatestStreamArn')}`];
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
    // CloudFormation can't delete a bucket that isn't empty, and the framework empties only its own.
    if (known.version !== undefined)
      await succeeds(['npx', 'serverless', 'remove', '--stage', options.id], join(folder, known.version));
    for (const name of [stack, gradual]) {
      await run(aws('cloudformation', 'delete-stack', '--stack-name', name));
      await run(aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', name));
    }
    for (const name of [table, restored, `${gradual}-records`])
      await succeeds(aws('dynamodb', 'delete-table', '--table-name', name));
    await run(aws('s3', 'rm', `s3://${bucket()}`, '--recursive'));
    await run(aws('s3', 'rb', `s3://${bucket()}`));
  },
);

const UNPROVEN_ALARMS = {
  'its fault needs a load': ['HotPartition', 'TableCap', 'AccountLimit', 'FeedAge'],
  'its fault takes hours': ['FailedBatchesAge', 'Unmanaged', 'MigrationOpen', 'CheckTimedOut', 'CheckOverdue'],
  'its fault loses records': ['DroppedEvents'],
};

const UNPROVEN = `Not proven by this: load and throttling, mail, a customer-managed key, a VPC, replicas, shards that split, LocalStack,
the tools Terraform, CDK and SAM, and what takes days. Alarms: ${Object.entries(UNPROVEN_ALARMS)
  .map(([why, names]) => `${names.join(', ')} (${why})`)
  .join('; ')}.`;

let failure;
const began = Date.now();
try {
  for (const one of STEPS) await perform(one);
} catch (error) {
  failure = error;
  console.error(`\nFailed: ${error.message}`);
  transcript.push('', `Failed: ${error.message}`);
}
try {
  // If the resources existed before, they aren't this run's.
  if (!isDry && !known.isOwn) console.log('\nNothing was made, and nothing is deleted.');
  else if (options.keep)
    console.log(`\nThe stack ${stack}, the tables ${table} and ${restored} and the bucket ${bucket()} are left.`);
  else await perform(DELETE);
} catch (error) {
  console.error(`\nThe deletion failed; delete the stack ${stack} by hand. ${error.message}`);
  failure ??= error;
}
rmSync(folder, { recursive: true, force: true });
tell(`\n${UNPROVEN}`);
if (!isDry && failure === undefined) tell(`\nAll proven, in ${Math.ceil((Date.now() - began) / 60_000)} minutes.`);
if (!isDry && known.isOwn) {
  writeFileSync(page, '');
  for (const line of pageOfRun()) appendFileSync(page, `${line}\n`);
  console.log(`\nThe page of this run: ${page}`);
}
process.exitCode = failure === undefined ? 0 : 1;

function step(name, proves, work) {
  return { name, proves, work };
}

async function perform({ name, proves, work }) {
  tell(`\n== ${name}: ${proves}`);
  const from = Date.now();
  const result = { name, proves, told: 'failed' };
  results.push(result);
  await work();
  result.told = `${Math.ceil((Date.now() - from) / 60_000)} min`;
}

function pageOfRun() {
  const withoutAccount = (line) => (known.account ? String(line).replaceAll(known.account, 'ACCOUNT') : String(line));
  return [
    `# The stack in an account, ${day}`,
    '',
    `Region ${known.region}, Node ${process.versions.node}, edgeloom ${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}.`,
    '',
    '| step | proves | took |',
    '|---|---|---|',
    ...results.map(({ name, proves, told }) => `| ${name} | ${proves} | ${told} |`),
    '',
    '```',
    ...transcript.map(withoutAccount),
    '```',
  ];
}

async function run([program, ...words], cwd = ROOT) {
  const shown = words.map((word) => quoted(word.replace(`${ROOT}/`, '')));
  const shownCommand = [program === 'edgeloom' ? 'npx edgeloom' : program, ...shown].join(' ');
  tell(cwd === ROOT ? `$ ${shownCommand}` : `$ (cd ${cwd.replace(`${ROOT}/`, '')} && ${shownCommand})`);
  if (isDry) return '';
  const [file, args] =
    program === 'edgeloom' ? [process.execPath, [join(ROOT, 'dist/cli/main.js'), ...words]] : [program, words];
  const { stdout } = await call(file, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

async function succeeds(words, cwd = ROOT) {
  return await run(words, cwd).then(
    () => true,
    (error) => {
      tell(`  ${String(error.stderr).trim().split('\n').at(-1)}`);
      return false;
    },
  );
}

/** Fails if the command finds something, or can't tell. */
async function absent(what, words) {
  const error = await run(words).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (isDry) return;
  expect(error !== undefined, `${what} is there already: give another --id`);
  expect(/does not exist|ResourceNotFoundException/.test(error.stderr), `${what}: ${error.stderr}`);
}

async function fails(words, code) {
  const ended = await run(words).then(
    () => 0,
    (error) => error.code,
  );
  expect(isDry || ended === code, `${words.slice(0, 2).join(' ')} ended with ${ended}, not with ${code}`);
}

async function until(what, look) {
  const end = Date.now() + 3_600_000;
  while (!(await look()) && !isDry) {
    if (Date.now() > end) throw new Error(`waited for an hour: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Number(options['poll-seconds']) * 1000));
  }
  tell(`  ${what}`);
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

function writeFile(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

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
    await run(
      edgeloom('list', 'inbound', 'USER-0', 'FOLLOWS', '--table', name, '--limit', String(2 * NODES), '--json'),
    ),
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

async function startExecution(input) {
  return await run(
    aws(
      ...['stepfunctions', 'start-execution', '--state-machine-arn', machine(), '--input', JSON.stringify(input)],
      ...['--query', 'executionArn', '--output', 'text'],
    ),
  );
}

async function execution(input) {
  const arn = await startExecution(input);
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

async function deploy(version, more = []) {
  known.version = version;
  makeProject(version);
  // Redrives every two minutes, so that missing redrives are noticed soon.
  const parameters = [...PARAMETERS, 'observe=true', 'feedEventBus=default', 'redriveMinutes=2'];
  await run(serverless([...parameters, ...more].map((one) => `--param=${one}`)), join(folder, version));
}

async function deployByTemplate(version) {
  known.version = version;
  makeProject(version);
  await makeFunctions(version);
  const zip = join(folder, version, 'functions.zip');
  const place = ['--code', `s3://${bucket()}/functions.zip`, '--zip', zip];
  const parameters = [...PARAMETERS, 'canaryMinutes=5'].flatMap((one) => ['--param', one]);
  const text = await run(edgeloom('stack', '--service', SERVICE, '--stage', `${options.id}g`, ...parameters, ...place));
  const file = writeFile(`${version}/template.json`, text);
  const { S3Key } = isDry ? { S3Key: '<S3Key>' } : JSON.parse(text).Resources.StreamLambdaFunction.Properties.Code;
  await run(aws('s3', 'cp', zip, `s3://${bucket()}/${S3Key}`));
  await run(
    aws(
      ...['cloudformation', 'deploy', '--template-file', file, '--stack-name', gradual, '--s3-bucket', bucket()],
      ...['--capabilities', 'CAPABILITY_NAMED_IAM', '--no-fail-on-empty-changeset'],
    ),
  );
}

async function mappingOfStream() {
  known.UUID = await run(
    aws(
      ...['lambda', 'list-event-source-mappings', '--function-name', `${stack}-stream`],
      ...['--output', 'text', '--query', 'EventSourceMappings[0].UUID'],
    ),
  );
}

function changedMapping(...more) {
  return aws('lambda', 'update-event-source-mapping', '--uuid', value('UUID'), ...more);
}

async function invoke(name, event) {
  const answer = writeFile(`${name}.json`, '');
  const payload = ['--payload', event, '--cli-binary-format', 'raw-in-base64-out'];
  await succeeds(aws('lambda', 'invoke', answer, '--function-name', `${stack}-${name}`, ...payload));
}

async function observed() {
  const answer = writeFile('observed.json', '');
  const failed = await run(
    aws(
      ...['lambda', 'invoke', answer, '--function-name', `${stack}-observe`],
      ...['--query', 'FunctionError', '--output', 'text'],
    ),
  );
  const text = readFileSync(answer, 'utf8');
  expect(isDry || failed === 'None' || failed === '', `the observer failed: ${text}`);
  return isDry ? {} : JSON.parse(text);
}

async function changeEnvironment(name, change) {
  const of = ['--function-name', `${stack}-${name}`];
  const text = await run(aws('lambda', 'get-function-configuration', ...of, '--query', 'Environment.Variables'));
  const file = writeFile('environment.json', JSON.stringify({ Variables: change(JSON.parse(text || '{}')) }));
  await run(aws('lambda', 'update-function-configuration', ...of, '--environment', `file://${file}`));
}

async function putItem(item) {
  await run(aws('dynamodb', 'put-item', '--table-name', table, '--item', JSON.stringify(item)));
}

async function putUser() {
  await putItem({
    source: { S: 'USER-2' },
    target: { S: 'USER-2' },
    name: { S: `User at ${Date.now()}` },
    age: { N: '2' },
  });
}

async function alarmIs(name, state, act) {
  const look = aws(
    ...['cloudwatch', 'describe-alarms', '--alarm-names', `${stack}-${name}`],
    ...['--query', 'MetricAlarms[0].StateValue', '--output', 'text'],
  );
  await until(`the alarm ${name} is in the state ${state}`, async () => {
    await act?.();
    return (await run(look)) === state;
  });
}

async function failsToDeploy(version, reason, more) {
  const before = known.version;
  const error = await deploy(version, more ?? []).then(
    () => undefined,
    (thrown) => thrown,
  );
  known.version = before;
  expect(isDry || error !== undefined, `the deployment of ${version} was not refused`);
  if (isDry) return;
  const events = ['cloudformation', 'describe-stack-events', '--stack-name', stack, '--max-items', '50'];
  const told = `${error.stderr} ${await run(aws(...events))}`;
  expect(reason.test(told), `the deployment of ${version} failed for another reason: ${told.slice(0, 2000)}`);
}

async function lastUpdate() {
  const query = ['--query', 'Stacks[0].LastUpdatedTime', '--output', 'text'];
  return await run(aws('cloudformation', 'describe-stacks', '--stack-name', stack, ...query));
}

function makeProject(version) {
  const searches =
    version === 'v1' ? 'name: { caseInsensitive: true }' : "name: { caseInsensitive: true }, age: { type: 'number' }";
  writeFile(
    `${version}/edgeloom.config.ts`,
    `import { defineGraph, edge, node, date } from 'edgeloom';
export default defineGraph({
  table: '${version === 'renamed' ? 'renamed' : 'records'}',
  nodes: { USER: node({ view: ['name'], search: { ${searches} } }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'], inbound: { orders: { gsi0: date('since') } } }) },
});
`,
  );
  for (const name of HANDLERS) {
    const maker = `deployed${name[0].toUpperCase()}${name.slice(1)}`;
    const isBroken = version === 'broken' && name === 'stream';
    const text = isBroken
      ? "export const handler = async () => {\n  throw new Error('a version that fails, for a trial');\n};\n"
      : `import { ${maker} } from 'edgeloom/lambda';\nimport graph from '../edgeloom.config.ts';\nexport const handler = ${maker}(graph);\n`;
    writeFile(`${version}/handlers/${name}.ts`, text);
  }
  const yaml = readFileSync(join(ROOT, 'serverless.yml'), 'utf8')
    .replace(/^service: .*$/m, `service: ${SERVICE}`)
    .replace('./scripts/package-functions.cjs', './plugin.cjs')
    .replace(/^params:\n(?: .*\n|\n)*/m, '')
    .replaceAll('file(scripts/stack.cjs)', 'file(stack.cjs)')
    .replace(/'eu-central-1'/, `'${value('region')}'`);
  writeFile(`${version}/serverless.yml`, yaml);
  const values = readFileSync(join(ROOT, 'scripts/stack.cjs'), 'utf8')
    .replace("'../src/", "'../../../src/")
    .replace("join(__dirname, '..', 'edgeloom.config.ts')", "join(__dirname, 'edgeloom.config.ts')");
  writeFile(`${version}/stack.cjs`, values);
  // The framework loads plugins from its own folder.
  writeFile(`${version}/plugin.cjs`, "module.exports = require('../../../scripts/package-functions.cjs');\n");
}

async function makeFunctions(version) {
  if (isDry) return;
  const source = join(folder, version);
  const code = join(source, '.code');
  await require('esbuild').build({
    ...{ absWorkingDir: source, outbase: '.', outdir: code, outExtension: { '.js': '.mjs' }, logLevel: 'warning' },
    entryPoints: HANDLERS.map((name) => `handlers/${name}.ts`),
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
  // With fixed times, the same code makes the same zip and the same key.
  writeFile(
    `${version}/functions.zip`,
    require('fflate').zipSync(Object.fromEntries(entries), { mtime: new Date(1980, 0, 1) }),
  );
}

async function counted(namespace, metric, name, of) {
  const range = [
    ...['--start-time', new Date(began).toISOString()],
    ...['--end-time', new Date(Date.now() + 60_000).toISOString()],
  ];
  const words = ['--namespace', namespace, '--metric-name', metric, '--dimensions', `Name=${name},Value=${of}`];
  const text = await run(
    aws('cloudwatch', 'get-metric-statistics', ...words, ...range, '--period', '3600', '--statistics', 'Sum'),
  );
  return isDry ? 0 : JSON.parse(text).Datapoints.reduce((total, { Sum }) => total + Sum, 0);
}

async function bill() {
  const rows = [];
  const add = (what, count, price) => rows.push({ what, count, price, dollars: count * price });
  const { dynamodb, lambda, stepFunctions, cloudwatch } = prices;
  for (const name of [table, restored]) {
    const written = await counted('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', name);
    add(`write units of ${name}`, written, dynamodb.millionWriteUnits / 1e6);
    const read = await counted('AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', name);
    add(`read units of ${name}`, read, dynamodb.millionReadUnits / 1e6);
  }
  for (const name of ['stream', 'check', 'rebuild', 'redrive', 'observe', 'feed']) {
    const of = [`${stack}-${name}`];
    add(
      `calls of ${name}`,
      await counted('AWS/Lambda', 'Invocations', 'FunctionName', ...of),
      lambda.millionRequests / 1e6,
    );
    const milliseconds = await counted('AWS/Lambda', 'Duration', 'FunctionName', ...of);
    const gigabytes = { redrive: 0.5, observe: 0.5, feed: 0.25 }[name] ?? 1;
    add(`gigabyte seconds of ${name}`, (milliseconds / 1000) * gigabytes, lambda.gigabyteSecond);
  }
  const started = await counted('AWS/States', 'ExecutionsStarted', 'StateMachineArn', machine());
  add('transitions of the state machine', started * 12, stepFunctions.thousandTransitions / 1000);
  add('alarms for an hour', 40 / 730, cloudwatch.alarmMonth);
  add('a dashboard for an hour', 1 / 730, cloudwatch.dashboardMonth);
  if (isDry) return;
  for (const { what, count, dollars } of rows)
    tell(`  ${what.padEnd(40)} ${count.toFixed(1).padStart(12)} ${dollars.toFixed(4).padStart(10)}`);
  const total = rows.reduce((all, { dollars }) => all + dollars, 0);
  tell(`  ${'dollars in all, by prices of'.padEnd(40)} ${prices.date.padStart(12)} ${total.toFixed(4).padStart(10)}`);
  tell(`  The account's own bill has the tag prove=${options.id}, a day from now, if the tag is activated for costs.`);
}
