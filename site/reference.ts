import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where the reference of the API is made from, and where it goes. */
export interface ReferencePlace {
  /** The repository. */
  root: string;
  /** The folder with the modules of the site. */
  installed: string;
  out: string;
  /** The path of the site on its host. */
  base: string;
}

/** The parts of TypeDoc that are used: it is installed beside VitePress, not in the repository. */
interface TypeDoc {
  Application: {
    bootstrap(options: object): Promise<{
      convert(): Promise<{ children?: { name: string }[] } | undefined>;
      generateDocs(project: object, out: string): Promise<void>;
      logger: { hasErrors(): boolean };
    }>;
  };
}

/** Writes the reference of each entry of the package, made by TypeDoc from doc comments. The entries are those of tsconfig.json. */
export async function writeReference({ root, installed, out, base }: ReferencePlace): Promise<void> {
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, [file: string]> };
  };
  const entries = Object.entries(compilerOptions.paths);
  const { Application } = (await import(
    pathToFileURL(join(installed, 'node_modules/typedoc/dist/index.js')).href
  )) as TypeDoc;
  const app = await Application.bootstrap({
    name: 'Edgeloom API',
    tsconfig: join(root, 'tsconfig.build.json'),
    entryPoints: entries.map(([, [file]]) => join(root, file)),
    // `npm run typecheck` checks the code; TypeDoc brings another version of TypeScript.
    skipErrorChecking: true,
    excludeInternal: true,
    disableSources: true,
    readme: 'none',
    logLevel: 'Warn',
    validation: false,
    navigationLinks: { Documentation: base },
  });
  const project = await app.convert();
  // TypeDoc names a module by its file; its users import it by the name of the entry.
  const names = new Map(entries.map(([name, [file]]) => [file.replace(/^\.\/|(?:\/index)?\.ts$/g, ''), name]));
  if (project === undefined) throw new Error('TypeDoc made nothing of the entries');
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  await app.generateDocs(project, out);
  if (app.logger.hasErrors()) throw new Error('TypeDoc found errors');
}
