// `npm run test:localstack`: runs contract and integration tests on LocalStack, with deployed functions. Without
// LocalStack, it fails or, with --skip-missing, only says so.
import { spawnSync } from 'node:child_process';

const endpoint = process.env.LOCALSTACK_ENDPOINT ?? 'http://localhost:4566';
const SECONDS = 5;

if (!(await answers())) {
  console.error(`No LocalStack answers at ${endpoint}. Start it with: docker compose up --wait`);
  process.exit(process.argv.includes('--skip-missing') ? 0 : 1);
}
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'contract', '--project', 'integration'], {
  stdio: 'inherit',
  env: { ...process.env, EDGELOOM_TEST_ENDPOINT: endpoint, EDGELOOM_DEPLOYED_TABLE: 'edgeloom-local-records' },
});
process.exit(status ?? 1);

async function answers() {
  try {
    const response = await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(SECONDS * 1000) });
    const { services } = await response.json();
    return typeof services?.dynamodb === 'string' && services.dynamodb !== 'disabled';
  } catch {
    // No server listens there, or another one does.
    return false;
  }
}
