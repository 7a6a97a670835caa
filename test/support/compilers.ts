import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The part of TypeScript 5.9 that the tests use: version 7 has no such interface of its own. */
interface Classic {
  createCompilerHost(options: object): Host;
  createProgram(files: readonly string[], options: object, host: Host): Program;
  createLanguageService(host: object): LanguageService;
  flattenDiagnosticMessageText(text: unknown, newLine: string): string;
  getDefaultLibFilePath(options: object): string;
  parseJsonConfigFileContent(json: object, system: object, folder: string): { options: object };
  ScriptSnapshot: { fromString(text: string): object };
  sys: Record<
    'fileExists' | 'readFile' | 'readDirectory' | 'directoryExists' | 'getDirectories',
    (path: string) => never
  >;
}
interface Host {
  getSourceFile(path: string, ...rest: unknown[]): object | undefined;
}
interface Program {
  getSemanticDiagnostics(): { messageText: unknown }[];
  getInstantiationCount(): number;
  getTypeCount(): number;
}
interface LanguageService {
  getCompletionsAtPosition(path: string, at: number, options: object): { entries: { name: string }[] } | undefined;
  getQuickInfoAtPosition(path: string, at: number): { displayParts: { text: string }[] } | undefined;
}

const classic = createRequire(import.meta.url)('typescript-5.9') as Classic;

/** What a compiler counts of a project, and the mistakes that it finds there. */
export interface Counts {
  instantiations: number;
  types: number;
  mistakes: string[];
}

/** A project of someone who uses the built package, in a folder of its own inside the repository, so that packages are found. */
export async function withProject<T>(
  sources: Readonly<Record<string, string>>,
  use: (folder: string) => T | Promise<T>,
): Promise<T> {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.cache', 'project-'));
  try {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, name), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const CONFIG = {
  compilerOptions: {
    ...{ target: 'es2022', lib: ['es2023'], module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    ...{ noUncheckedIndexedAccess: true, skipLibCheck: true, allowImportingTsExtensions: true },
    paths: { edgeloom: [join(ROOT, 'dist/types/src/index.d.ts')] },
  },
};

/** For `withProject`: the tsconfig.json of a project that uses the sources of the package, as strictly as they are written. */
export const ON_SOURCES = JSON.stringify({
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { noEmit: true, incremental: false, paths: { edgeloom: [join(ROOT, 'src/index.ts')] } },
  include: ['*.ts'],
  exclude: [],
});

/** The compilers by their versions. Each counts the same way however often it is asked. */
export const COMPILERS: Readonly<Record<string, (folder: string, files: readonly string[]) => Promise<Counts>>> = {
  '7': async (folder, files) => {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...CONFIG, files }));
    const run = promisify(execFile)(process.execPath, [TSC, '-p', folder, '--extendedDiagnostics', '--singleThreaded']);
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const counted = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(stdout)?.[1]);
    const mistakes = stdout.split('\n').filter((line) => line.includes('error TS'));
    return { instantiations: counted('Instantiations'), types: counted('Types'), mistakes };
  },
  '5.9': async (folder, files) => {
    const { options } = classic.parseJsonConfigFileContent(CONFIG, classic.sys, folder);
    const host = hostOf(options);
    const program = classic.createProgram(
      files.map((file) => join(folder, file)),
      options,
      host,
    );
    const mistakes = program.getSemanticDiagnostics().map(messageOf);
    return { instantiations: program.getInstantiationCount(), types: program.getTypeCount(), mistakes };
  },
};

/** Files of libraries, which are read once for all programs. */
const parsed = new Map<string, object | undefined>();

function hostOf(options: object): Host {
  const host = classic.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (!path.endsWith('.d.ts')) return read(path, ...rest);
    if (!parsed.has(path)) parsed.set(path, read(path, ...rest));
    return parsed.get(path);
  };
  return host;
}

function messageOf({ messageText }: { messageText: unknown }): string {
  return classic.flattenDiagnosticMessageText(messageText, '\n');
}

/** What an editor offers: for each line, written behind the head, the names that are listed in the place of its `|`. */
export function completions(folder: string, head: string, lines: readonly string[]): string[][] {
  const editor = editorOf(folder);
  return lines.map((line) => {
    editor.write(`${head}\n${line.replace('|', '')}`);
    const at = head.length + 1 + line.indexOf('|');
    return (editor.service.getCompletionsAtPosition(editor.file, at, {})?.entries ?? []).map(({ name }) => name);
  });
}

/** What an editor shows over the name behind the `|` of each line. The lines are written behind the head. */
export function shownOver(folder: string, head: string, lines: readonly string[]): string[] {
  const editor = editorOf(folder);
  editor.write([head, ...lines.map((line) => line.replace('|', ''))].join('\n'));
  let start = head.length + 1;
  return lines.map((line) => {
    const shown = editor.service.getQuickInfoAtPosition(editor.file, start + line.indexOf('|'))?.displayParts ?? [];
    start += line.length;
    return shown.map(({ text }) => text).join('');
  });
}

/** A file in an editor. */
function editorOf(folder: string) {
  const { options } = classic.parseJsonConfigFileContent(CONFIG, classic.sys, folder);
  const file = join(folder, 'asked.ts');
  const { fileExists, readFile, readDirectory, directoryExists, getDirectories } = classic.sys;
  let text = '';
  let version = 0;
  const service = classic.createLanguageService({
    ...{ fileExists, readFile, readDirectory, directoryExists, getDirectories },
    getScriptFileNames: () => [file],
    getScriptVersion: (path: string) => (path === file ? String(version) : '0'),
    getScriptSnapshot: (path: string) => classic.ScriptSnapshot.fromString(path === file ? text : readFile(path)),
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: classic.getDefaultLibFilePath,
  });
  const write = (written: string): void => {
    text = written;
    version += 1;
  };
  return { file, service, write };
}
