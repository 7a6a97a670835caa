import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shardsFor } from '../../../core/items/shard-capacity.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { packageFile } from '../../package/package-files.ts';
import { stackNames } from '../base/names.ts';
import { tableArnOfStream } from '../base/parameters.ts';

/** The tools that deploy a project. */
export const DEPLOY_TOOLS = ['serverless', 'sam', 'terraform', 'cdk'] as const;
/** One of them; `serverless` is osls, the MIT fork of the Serverless Framework 3. */
export type DeployTool = (typeof DEPLOY_TOOLS)[number];

/** An existing index, as the model file names it. */
export type ExistingIndex = string | { name: string; partitionKey: string; sortKey: string };

/** Options of a new project. */
export interface ProjectOptions {
  /** The tool that deploys it. */
  deploy: DeployTool;
  /** An existing table: its ARN, its stream's, and the names of its keys and indexes. */
  existing?: {
    tableArn: string;
    streamArn: string;
    /** Default: `source` and `target`. */
    partitionKey?: string;
    sortKey?: string;
    /** Existing indexes, by the names that the model calls them: their names, with their key attributes where these have other names. */
    indexes?: Readonly<Record<string, ExistingIndex>>;
  };
  /** The stream of a table of others that is mirrored: its ARN. Default: there is none. */
  sourceStreamArn?: string | undefined;
  /** Nodes that are written a second: the shards of the model's search follow. Default 100. */
  nodesPerSecond?: number | undefined;
  /** Folder of the package. */
  packageFolder: string;
}

const NODES_PER_SECOND = 100;

/** The name of the table in which a new project mirrors a table: never the same, as both may be in one engine. */
export function tableBeside(source: string): string {
  return source === 'graph' ? 'mirror' : 'graph';
}

/** Files that come under another name: npm leaves a `.gitignore` out of a package. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['deploy-workflow.yml', '.github/workflows/deploy.yml'],
]);

/** The part of a package.json to which each folder of a project's files adds. */
interface Manifest {
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/**
 * Makes a project: model, handlers, a test, the files of the tool that deploys it, and a workflow that tests, deploys and migrates.
 * Gives the files. Throws `file-exists` where one of them is there already, and then writes none; `invalid-name` where the folder's
 * name cannot be a service's.
 */
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
  const contents = new Map<string, string>();
  for (const [name, text] of [...parts.flatMap((files) => [...files]), ['package.json', manifest] as const]) {
    contents.set(RENAMED.get(name) ?? name, fillIn(name, text, service, version, options));
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

/** The files of a folder of the package, by their paths in it. */
async function filesOf(assets: string): Promise<Map<string, string>> {
  const source = fileURLToPath(packageFile(assets));
  const entries = (await readdir(source, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const names = entries.map((entry) => relative(source, join(entry.parentPath, entry.name)));
  const texts = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
  return new Map(names.map((name, i) => [name, texts[i]!]));
}

/** A package.json with the commands and dependencies of others; dependencies by name, as npm sorts them. */
function mergedManifest(texts: readonly string[]): string {
  const manifests = texts.map((text) => JSON.parse(text) as Manifest);
  const all = manifests.flatMap(({ devDependencies }) => Object.entries(devDependencies ?? {}));
  const merged = {
    ...manifests[0],
    scripts: Object.assign({}, ...manifests.map(({ scripts }) => scripts)) as Manifest['scripts'],
    devDependencies: Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1))),
  };
  return `${JSON.stringify(merged, undefined, 2)}\n`;
}

/** The project's dependency: the version of the package; the tarball, where it was installed from one. */
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

/** Steps of the workflow before the deployment, and where the parameters of a stage are, by the tool. */
const OF_TOOL: Readonly<Record<DeployTool, { setup: string; parameters: string }>> = {
  serverless: { setup: '', parameters: "The stage's parameters are in `serverless.yml`." },
  sam: { setup: '', parameters: "The stage's parameters are in the script `template` of `package.json`." },
  terraform: {
    setup: '      - uses: hashicorp/setup-terraform@v3\n',
    parameters:
      "The stage's parameters are in the script `template` of `package.json`. A bucket, `TF_VAR_bucket`, holds the functions' code, the\ntemplate and the state of Terraform.",
  },
  cdk: { setup: '', parameters: "The stage's parameters are in the script `template` of `package.json`." },
};

function fillIn(
  name: string,
  text: string,
  service: string,
  version: string,
  { existing, deploy, sourceStreamArn, nodesPerSecond = NODES_PER_SECOND }: ProjectOptions,
): string {
  const { setup, parameters: wherever } = OF_TOOL[deploy];
  const ownTable = existing?.tableArn.split(':table/').at(-1);
  const sourceTable = sourceStreamArn && tableArnOfStream(sourceStreamArn).split(':table/').at(-1)!;
  const table = sourceTable === undefined ? 'records' : tableBeside(sourceTable);
  const words: Readonly<Record<string, string>> = {
    SERVICE: service,
    EDGELOOM_VERSION: version,
    TABLE_NAME: ownTable ?? `${service}-prod-${table}`,
    TABLE: ownTable ?? table,
    SOURCE_TABLE: sourceTable ?? '',
    PARAMETERS: wherever,
  };
  const given = text
    // In one pass: the name of a table or of a service may have another of the words in it.
    .replaceAll(/SERVICE|EDGELOOM_VERSION|SOURCE_TABLE|TABLE_NAME|TABLE|PARAMETERS/g, (word) => words[word]!)
    .replace('caseInsensitive: true }', `caseInsensitive: true, shards: ${shardsFor(nodesPerSecond)} }`)
    .replace('      # TOOL\n', setup);
  const filled = sourceStreamArn === undefined ? given : withSourceStream(name, given, sourceStreamArn);
  if (existing === undefined) return filled;
  if (name === 'package.json') {
    const options = `--existing-table ${existing.tableArn} --stream ${existing.streamArn}`;
    return filled
      .replace('--param alarmEmail=', `--param alarmEmail= ${options}`)
      .replace('stack --policy', `stack --policy ${options}`);
  }
  const { tableArn, streamArn, ...names } = existing;
  if (name === 'serverless.yml') {
    const parameters = `    existingTableArn: ${tableArn}\n    existingStreamArn: ${streamArn}\n`;
    return filled.replace('  prod:\n', `  prod:\n${parameters}`);
  }
  if (name !== 'edgeloom.config.ts') return filled;
  const own = { name: ownTable, ...names };
  return filled.replace(/table: (?:'.*'|\{.*\})/, () => `table: ${typescriptLiteral(own)}`);
}

/** A file with the stream of a source as a parameter of the stack. */
function withSourceStream(name: string, text: string, streamArn: string): string {
  if (name === 'serverless.yml') return text.replace('  prod:\n', `  prod:\n    sourceStreamArns: ${streamArn}\n`);
  if (name !== 'package.json') return text;
  return text.replace('--param alarmEmail=', `--param alarmEmail= --param sourceStreamArns=${streamArn}`);
}

/** A value as TypeScript writes it. */
function typescriptLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  const given = Object.entries(value as object).filter(([, one]) => one !== undefined);
  const fields = given.map(([key, one]) => `${key}: ${typescriptLiteral(one)}`);
  return `{ ${fields.join(', ')} }`;
}
