// Builds after `npm ci`. `npx edgeloom` in a clone makes npm prepare the clone once more, to link its command; what is
// built already is good enough for that.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
if (process.env.npm_command !== 'exec' || !existsSync(built)) {
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
}
