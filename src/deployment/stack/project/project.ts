import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byKey } from '../../../foundation/entries.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { SourceKeys } from '../../../sources/source.ts';
import { packageFile } from '../../package/package-files.ts';
import { tableNameIn } from '../base/arns.ts';
import { stackNames } from '../base/names.ts';

export const DEPLOY_TOOLS = ['serverless', 'sam', 'terraform', 'cdk'] as const;
/** `serverless` is osls, the MIT-licensed fork of Serverless Framework v3. */
export type DeployTool = (typeof DEPLOY_TOOLS)[number];

export type ExistingIndex = string | { name: string; partitionKey: string; sortKey: string };

export interface ProjectOptions {
  deploy: DeployTool;
  existing?: {
    tableArn: string;
    streamArn: string;
    /** Default of the two keys: `source` and `target`. */
    partitionKey?: string;
    sortKey?: string;
    indexes?: Readonly<Record<string, ExistingIndex>>;
  };
  sourceStreamArn?: string | undefined;
  /** The mirrored table's key attributes. Default: `pk` and `sk`. */
  sourceKeys?: SourceKeys | undefined;
  packageFolder: string;
}

/** Avoids the mirrored table's name, because one engine may hold both tables. */
export function tableBeside(source: string): string {
  return source === 'graph' ? 'mirror' : 'graph';
}

/** npm omits `.gitignore` files from packages. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['deploy-workflow.yml', '.github/workflows/deploy.yml'],
]);

interface Manifest {
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export async function makeProject(folder: string, options: ProjectOptions): Promise<string[]> {
  const service = basename(resolve(folder));
  stackNames(service, 'prod', 'records');
  const parts = await Promise.all(
    [
      'assets/project/',
      options.sourceStreamArn === undefined ? 'assets/sample/' : 'assets/source/',
      `assets/deploy/${options.deploy}/`,
    ].map(filesOf),
  );
  const manifest = mergedManifest(parts.map((files) => files.get('package.json')!));
  const version = await dependencyOf(options.packageFolder, folder);
  const words = wordsOf(service, version, options);
  const contents = new Map<string, string>();
  for (const [name, text] of [...parts.flatMap((files) => [...files]), ['package.json', manifest] as const]) {
    contents.set(RENAMED.get(name) ?? name, fillIn(name, text, words, options));
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

async function filesOf(assets: string): Promise<Map<string, string>> {
  const source = fileURLToPath(packageFile(assets));
  const entries = (await readdir(source, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const names = entries.map((entry) => relative(source, join(entry.parentPath, entry.name)));
  const texts = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
  return new Map(names.map((name, i) => [name, texts[i]!]));
}

function mergedManifest(texts: readonly string[]): string {
  const manifests = texts.map((text) => JSON.parse(text) as Manifest);
  const all = manifests.flatMap(({ devDependencies }) => Object.entries(devDependencies ?? {}));
  const merged = {
    ...manifests[0],
    scripts: Object.assign({}, ...manifests.map(({ scripts }) => scripts)) as Manifest['scripts'],
    devDependencies: Object.fromEntries(all.sort(byKey)),
  };
  return `${JSON.stringify(merged, undefined, 2)}\n`;
}

/** Returns the package's version, or the tarball that it was installed from. */
async function dependencyOf(packageFolder: string, folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const modules = dirname(packageFolder);
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return version;
  const { packages } = JSON.parse(await readFile(record, 'utf8')) as {
    packages: Record<string, { resolved?: string } | undefined>;
  };
  const [, tarball] = /^file:(.+\.tgz)$/.exec(packages['node_modules/edgeloom']?.resolved ?? '') ?? [];
  if (tarball === undefined) return version;
  return `file:${relative(resolve(folder), resolve(dirname(modules), tarball)).replaceAll('\\', '/')}`;
}

const IN_SCRIPT = "The stage's parameters are in the script `template` of `package.json`.";
const README_PARAMETERS: Readonly<Record<DeployTool, string>> = {
  serverless: "The stage's parameters are in `serverless.yml`.",
  sam: IN_SCRIPT,
  terraform: `${IN_SCRIPT} A bucket, \`TF_VAR_bucket\`, holds the functions' code, the\ntemplate and the state of Terraform.`,
  cdk: IN_SCRIPT,
};

/** Returns the replacements of placeholders. A comment, such as `# TOOL`, stands for whole lines. */
function wordsOf(service: string, version: string, { existing, deploy, sourceStreamArn }: ProjectOptions) {
  const ownTable = existing && tableNameIn(existing.tableArn);
  const sourceTable = sourceStreamArn && tableNameIn(sourceStreamArn);
  const table = ownTable ?? (sourceTable === undefined ? 'records' : tableBeside(sourceTable));
  const tableOptions = existing ? ` --existing-table ${existing.tableArn} --stream ${existing.streamArn}` : '';
  const parameters = {
    existingTableArn: existing?.tableArn,
    existingStreamArn: existing?.streamArn,
    sourceStreamArns: sourceStreamArn,
  };
  return {
    SERVICE: service,
    EDGELOOM_VERSION: version,
    TABLE_NAME: ownTable ?? `${service}-prod-${table}`,
    TABLE_OPTIONS: tableOptions,
    TABLE: table,
    SOURCE_TABLE: sourceTable ?? '',
    STACK_OPTIONS: tableOptions + (sourceStreamArn === undefined ? '' : ` --param sourceStreamArns=${sourceStreamArn}`),
    '    # STACK_PARAMETERS\n': Object.entries(parameters)
      .map(([name, value]) => (value === undefined ? '' : `    ${name}: ${value}\n`))
      .join(''),
    '      # TOOL\n': deploy === 'terraform' ? '      - uses: hashicorp/setup-terraform@v3\n' : '',
    PARAMETERS: README_PARAMETERS[deploy],
  };
}

/** Replaces in one pass, because the name of a table or service may contain another placeholder. */
function fillIn(
  name: string,
  text: string,
  words: Readonly<Record<string, string>>,
  { existing, sourceKeys }: ProjectOptions,
): string {
  const filled = text.replaceAll(
    /SERVICE|EDGELOOM_VERSION|SOURCE_TABLE|STACK_OPTIONS|TABLE_NAME|TABLE_OPTIONS|TABLE| *# (?:STACK_PARAMETERS|TOOL)\n|PARAMETERS/g,
    (word) => words[word]!,
  );
  if (name !== 'edgeloom.config.ts') return filled;
  const named =
    sourceKeys === undefined ? filled : filled.replace(/(?<=keys: )\{.*?\}/, () => typescriptLiteral(sourceKeys));
  if (existing === undefined) return named;
  const { tableArn, streamArn: _, ...names } = existing;
  const table = typescriptLiteral({ name: tableNameIn(tableArn), ...names });
  return named.replace(/table: (?:'.*'|\{.*\})/, () => `table: ${table}`);
}

function typescriptLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  const given = Object.entries(value as object).filter(([, one]) => one !== undefined);
  const fields = given.map(([key, one]) => `${key}: ${typescriptLiteral(one)}`);
  return `{ ${fields.join(', ')} }`;
}
