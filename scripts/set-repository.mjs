// `node scripts/set-repository.mjs https://github.com/OWNER/NAME` sets `repository`, `homepage` and `bugs` of
// package.json, which the site also uses.
import { readFileSync, writeFileSync } from 'node:fs';

const [address] = process.argv.slice(2);
if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(address ?? '')) {
  console.error('Give the address of the repository: node scripts/set-repository.mjs https://github.com/OWNER/NAME');
  process.exit(2);
}
const page = address.replace(/\.git$/, '');
const { name, version, description, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
const filled = {
  ...{ name, version, description },
  repository: { type: 'git', url: `git+${page}.git` },
  homepage: `${page}#readme`,
  bugs: { url: `${page}/issues` },
};
writeFileSync('package.json', `${JSON.stringify({ ...filled, ...rest, ...filled }, null, 2)}\n`);
