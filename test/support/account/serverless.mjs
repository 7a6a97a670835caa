import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The Serverless Framework of a test: `deploy --stage STAGE [--param=NAME=VALUE]` gives the template that `edgeloom stack` prints, and
 * the stack's policy, to the stand-in of the account, where the framework would package both itself. The service is that of the folder's
 * serverless.yml. `remove --stage STAGE` empties the bucket of artefacts and deletes the stack. A folder that is not this repository's is packaged by the framework itself, for its first version.
 */

const args = process.argv.slice(2);
const stage = args[args.indexOf('--stage') + 1];
const given = args.flatMap((word) => /^--param=(.*)$/s.exec(word)?.[1] ?? []);
const edgeloom = (...words) =>
  execFileSync(
    process.execPath,
    [fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url)), 'stack', ...words],
    {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const isPackaged = () => readdirSync('..').some((version) => existsSync(`../${version}/.serverless`));
const isRemoval = args[0] === 'remove';
if (!isRemoval && `${process.cwd()}/` !== ROOT && !isPackaged()) {
  execFileSync(
    process.execPath,
    [
      `${ROOT}node_modules/serverless/bin/serverless.js`,
      'package',
      '--stage',
      stage,
      ...given.map((one) => `--param=${one}`),
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: `--import ${ROOT}test/support/stack/no-network.mjs` },
    },
  );
}
const service = /^service: (.*)$/m.exec(readFileSync('serverless.yml', 'utf8'))[1];
// The framework deploys nothing where code and template are as they were; the code follows the model here.
const hash = createHash('sha256').update(readFileSync('edgeloom.config.ts')).digest('hex').slice(0, 16);
const code = `s3://artefacts/functions.zip?versionId=${hash}`;
const options = ['--service', service, '--stage', stage, ...given.flatMap((one) => ['--param', one])];
const input = {
  StackName: `${service}-${stage}`,
  ...(!isRemoval && {
    TemplateBody: edgeloom(...options, '--code', code),
    StackPolicyBody: given.some((one) => one.startsWith('existingTableArn='))
      ? '{"Statement":[]}'
      : edgeloom('--policy'),
  }),
};
const body = JSON.stringify({ service: 'serverless', operation: args[0], input });
const response = await fetch(process.env.AWS_STAND_IN, { method: 'POST', body });
if (!response.ok) {
  process.stderr.write(`${await response.text()}\n`);
  process.exitCode = 1;
}
