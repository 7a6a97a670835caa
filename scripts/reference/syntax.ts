import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import type TypeScript from 'typescript-5.9';

/** Provides syntax, types and doc comments of the sources. Leaves out packages, which saves most of the time. */

export const ROOT = resolve(import.meta.dirname, '../..');
// The compiler that checks the types provides no syntax tree.
const ts = createRequire(import.meta.url)('typescript-5.9') as typeof TypeScript;

export { ts };

export class Sources {
  readonly program: TypeScript.Program;
  readonly checker: TypeScript.TypeChecker;

  constructor(folders: readonly string[]) {
    const files = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.ts$/.test(name) && !/node_modules|\.d\.ts$/.test(name))
        .sort()
        .map((name) => join(ROOT, folder, name)),
    );
    const options: TypeScript.CompilerOptions = {
      ...{ target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], module: ts.ModuleKind.NodeNext, types: [] },
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    };
    const host = ts.createCompilerHost(options, true);
    host.resolveModuleNameLiterals = (names, file) =>
      names.map(({ text }) => {
        const path = text.startsWith('.') ? resolve(file, '..', text) : undefined;
        const isThere = path !== undefined && /\.ts$/.test(path) && host.fileExists(path);
        return {
          resolvedModule: isThere ? { resolvedFileName: path, extension: ts.Extension.Ts } : undefined,
        };
      });
    this.program = ts.createProgram(files, options, host);
    this.checker = this.program.getTypeChecker();
  }

  files(): TypeScript.SourceFile[] {
    return this.program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(ROOT) && !/node_modules/.test(fileName));
  }

  file(path: string): TypeScript.SourceFile {
    const file = this.program.getSourceFile(join(ROOT, path));
    if (file === undefined) throw new Error(`${path} is not there`);
    return file;
  }

  members(path: string, name: string): { name: string; type: string; means: string }[] {
    const file = this.file(path);
    const declared = file.statements.find(
      (one): one is TypeScript.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === name,
    );
    if (declared === undefined) throw new Error(`${path} has no interface ${name}`);
    return declared.members.filter(ts.isPropertySignature).map((member) => ({
      name: member.name.getText(file),
      type: member.type?.getText(file) ?? '',
      means: commentOf(member),
    }));
  }

  entries(path: string, name: string): { name: string; value: string; means: string }[] {
    const file = this.file(path);
    const object = [...nodesOf(file)]
      .filter((one) => ts.isVariableDeclaration(one) && one.name.getText(file) === name)
      .flatMap((one) => [...nodesOf(one)])
      .find(ts.isObjectLiteralExpression);
    if (object === undefined) throw new Error(`${path} has no object ${name}`);
    return object.properties.filter(ts.isPropertyAssignment).map((property) => ({
      name: property.name.getText(file),
      value: property.initializer.getText(file),
      means: commentOf(property),
    }));
  }

  path(file: TypeScript.SourceFile): string {
    return relative(ROOT, file.fileName);
  }
}

export function* nodesOf(node: TypeScript.Node): Generator<TypeScript.Node> {
  yield node;
  const children: TypeScript.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** Returns one line. Empty if there is no comment. */
export function commentOf(node: TypeScript.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return comment === undefined ? '' : oneLine(ts.getTextOfJSDocComment(comment.comment) ?? '');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Replaces values in templates by `…`. Returns undefined for other nodes. */
export function textOf(node: TypeScript.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  return undefined;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
