import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EdgeloomError } from '../../errors.ts';
import { packageFile } from '../../package/package-files.ts';
import { stackNames } from '../base/names.ts';

/** What a new project is made with. */
export interface ProjectOptions {
  /** An existing table: its ARN, its stream's, and the names of its keys and indexes. */
  existing?: {
    tableArn: string;
    streamArn: string;
    /** Default: `source` and `target`. */
    partitionKey?: string;
    sortKey?: string;
    /** Names of existing indexes, by the ones that the model calls them. */
    indexes?: Readonly<Record<string, string>>;
  };
  /** Folder of the package. */
  packageFolder: string;
}

/** Files that come under another name: npm leaves a `.gitignore` out of a package. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['deploy-workflow.yml', '.github/workflows/deploy.yml'],
]);

/**
 * Makes a project: model, handlers, serverless.yml, a test, and a workflow that tests and deploys. Gives the files. Throws
 * `file-exists` where one of them is there already, and then writes none; `invalid-name` where the folder's name cannot be a service's.
 */
export async function makeProject(folder: string, options: ProjectOptions): Promise<string[]> {
  const service = basename(resolve(folder));
  stackNames(service, 'prod', 'records');
  const source = fileURLToPath(packageFile('assets/project/'));
  const files = (await readdir(source, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const version = await dependencyOf(options.packageFolder, folder);
  const contents = new Map<string, string>();
  for (const file of files) {
    const name = relative(source, join(file.parentPath, file.name));
    const text = await readFile(join(source, name), 'utf8');
    contents.set(RENAMED.get(name) ?? name, filledIn(name, text, service, version, options));
  }
  const present = [...contents.keys()].filter((name) => existsSync(join(folder, name)));
  if (present.length > 0) {
    throw new EdgeloomError(
      'file-exists',
      `The folder ${folder} has ${present.join(', ')} already.`,
      'Name an empty folder, or a new one.',
    );
  }
  for (const [name, text] of contents) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  }
  return [...contents.keys()].sort();
}

/** What the project depends on: the version of the package; the tarball, where it was installed from one. */
async function dependencyOf(packageFolder: string, folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const modules = dirname(packageFolder);
  // npm keeps there what it installed from where.
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return version;
  const { packages } = JSON.parse(await readFile(record, 'utf8')) as {
    packages: Record<string, { resolved?: string } | undefined>;
  };
  const [, tarball] = /^file:(.+\.tgz)$/.exec(packages['node_modules/edgeloom']?.resolved ?? '') ?? [];
  if (tarball === undefined) return version;
  return `file:${relative(resolve(folder), resolve(dirname(modules), tarball)).replaceAll('\\', '/')}`;
}

function filledIn(name: string, text: string, service: string, version: string, { existing }: ProjectOptions): string {
  const filled = text.replaceAll('SERVICE', service).replaceAll('EDGELOOM_VERSION', version);
  if (existing === undefined) return filled;
  const { tableArn, streamArn, ...names } = existing;
  if (name === 'serverless.yml') {
    const parameters = `    existingTableArn: ${tableArn}\n    existingStreamArn: ${streamArn}\n`;
    return filled.replace('  prod:\n', `  prod:\n${parameters}`);
  }
  if (name !== 'edgeloom.config.ts') return filled;
  const table = { name: tableArn.split(':table/').at(-1), ...names };
  const given = Object.entries(table).filter(([, value]) => value !== undefined);
  const fields = given.map(([key, value]) => `${key}: ${literal(value)}`).join(', ');
  return filled.replace("table: 'records'", `table: { ${fields} }`);
}

/** A value as TypeScript writes it. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  const fields = Object.entries(value as object).map(([key, one]) => `${key}: ${literal(one)}`);
  return `{ ${fields.join(', ')} }`;
}
