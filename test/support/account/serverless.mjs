import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * The Serverless Framework of a test: `deploy --stage STAGE [--param=NAME=VALUE]` gives the template that `edgeloom stack` prints, and
 * the stack's policy, to the stand-in of the account, where the framework would package both itself.
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
// The framework puts the code under a key of its own at each deployment.
const code = `s3://artefacts/functions.zip?versionId=${process.pid}`;
const options = ['--stage', stage, ...given.flatMap((one) => ['--param', one])];
const input = {
  StackName: `edgeloom-${stage}`,
  TemplateBody: edgeloom(...options, '--code', code),
  StackPolicyBody: given.some((one) => one.startsWith('existingTableArn=')) ? '{"Statement":[]}' : edgeloom('--policy'),
};
const body = JSON.stringify({ service: 'serverless', operation: args[0], input });
const response = await fetch(process.env.AWS_STAND_IN, { method: 'POST', body });
if (!response.ok) {
  process.stderr.write(`${await response.text()}\n`);
  process.exitCode = 1;
}
