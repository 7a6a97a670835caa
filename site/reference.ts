import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from './pages.ts';

/** The parts of TypeDoc that are used: it is installed beside VitePress, not in the repository. */
interface TypeDoc {
  Application: {
    bootstrapWithPlugins(options: object): Promise<{
      convert(): Promise<{ children?: { name: string }[] } | undefined>;
      generateOutputs(project: object): Promise<void>;
      logger: { hasErrors(): boolean };
    }>;
  };
}

/**
 * Returns pages of the API, made by TypeDoc from doc comments: one for each export of each entry of the package. The entries are those of
 * tsconfig.json.
 *
 * @param root of the repository.
 * @param installed is the folder with the modules of the site.
 */
export async function apiPages(root: string, installed: string): Promise<Page[]> {
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, [file: string]> };
  };
  const entries = Object.entries(compilerOptions.paths);
  const modules = join(installed, 'node_modules');
  const { Application } = (await import(pathToFileURL(join(modules, 'typedoc/dist/index.js')).href)) as TypeDoc;
  const out = await mkdtemp(join(tmpdir(), 'edgeloom-api-'));
  const app = await Application.bootstrapWithPlugins({
    name: 'API of the package',
    tsconfig: join(root, 'tsconfig.build.json'),
    entryPoints: entries.map(([, [file]]) => join(root, file)),
    plugin: [join(modules, 'typedoc-plugin-markdown/dist/index.js')],
    outputs: [{ name: 'markdown', path: out }],
    entryFileName: 'index',
    hidePageHeader: true,
    pageTitleTemplates: { member: '{name}', module: '{name}' },
    hideBreadcrumbs: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    enumMembersFormat: 'table',
    useCodeBlocks: true,
    // `npm run typecheck` checks the code; TypeDoc brings another version of TypeScript.
    skipErrorChecking: true,
    excludeInternal: true,
    disableSources: true,
    readme: 'none',
    logLevel: 'Warn',
    validation: false,
  });
  try {
    const project = await app.convert();
    // TypeDoc names a module by its file; its users import it by the name of the entry.
    const names = new Map(entries.map(([name, [file]]) => [file.replace(/^\.\/|(?:\/index)?\.ts$/g, ''), name]));
    if (project === undefined) throw new Error('TypeDoc made nothing of the entries');
    for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
    project.children?.sort((left, right) => (left.name < right.name ? -1 : 1));
    await app.generateOutputs(project);
    if (app.logger.hasErrors()) throw new Error('TypeDoc found errors');
    const files = (await readdir(out, { recursive: true })).filter((file) => file.endsWith('.md'));
    return await Promise.all(
      files.map(async (file) => ({
        path: `api/${file.replaceAll('\\', '/')}`,
        text: withoutHtml(await readFile(join(out, file), 'utf8')),
      })),
    );
  } finally {
    await rm(out, { recursive: true });
  }
}

/** Tables have anchors in HTML, which pages of the site don't take: links to them lead to the page, or become text on the page itself. */
function withoutHtml(text: string): string {
  const plain = text
    .replace(/<a id="[^"]*"><\/a> ?/g, '')
    .replace(
      /\[([^\]]*)\]\(([^()#\s]*)#(?:property|type-parameter|enumeration-member)-[^()]*\)/g,
      (_, name: string, page: string) => (page === '' ? name : `[${name}](${page})`),
    );
  return `---\nsearch: false\n---\n\n${plain}`;
}
