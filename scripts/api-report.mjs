// Writes `src/types.ts` (types that signatures name but no entry point exports) and `api/` (the built declarations of
// each entry point), so that a review shows what users get. `--check` writes nothing, and fails if something differs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';

const root = fileURLToPath(new URL('..', import.meta.url));
const declarations = `${root}dist/types/`;
const [MAIN, TYPES] = ['edgeloom', 'edgeloom/types'];
const { exports } = createRequire(import.meta.url)('../package.json');
const entries = new Map(
  Object.entries(exports)
    .filter(([, { types = '' }]) => types.startsWith('./dist/'))
    .map(([path, { types }]) => [path.replace('.', MAIN), `${root}${types}`]),
);
const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, skipLibCheck: true, types: ['node'] };
const program = ts.createProgram([...entries.values()], options);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });
const faults = new Set();

const original = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const exportsOf = (source) => checker.getExportsOfModule(checker.getSymbolAtLocation(source));
const sourceOf = (symbol) => symbol.declarations[0].getSourceFile();
const isExported = (symbol) => exportsOf(sourceOf(symbol)).some((one) => original(one) === symbol);
const isOwn = (symbol) => symbol?.declarations !== undefined && sourceOf(symbol).fileName.startsWith(declarations);
const byName = ([a], [b]) => (a < b ? -1 : 1);
/** The compiler shows the result of such a type. */
const isComputing = (symbol) =>
  symbol.declarations.some((node) => ts.isTypeAliasDeclaration(node) && node.typeParameters);

/** The statement of a variable is two levels above its declaration. */
function statementsOf(symbol) {
  return [...new Set(symbol.declarations.map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node)))];
}

/** Returns the package's types that an export names, including those that computing types in it name. */
function typesIn(symbol, found = new Map(), isInside = false) {
  const visit = (node) => {
    // The compiler shows the members of a table of types.
    if (ts.isIndexedAccessTypeNode(node)) return visitTable(node.objectType);
    // The compiler shows the names of members and the types of values.
    if (ts.isTypeQueryNode(node)) return;
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) return;
    const name = node.typeName ?? (ts.isExpressionWithTypeArguments(node) ? node.expression : node.qualifier);
    const named = name && checker.getSymbolAtLocation(ts.isQualifiedName(name) ? name.right : name);
    const type = named && original(named);
    if (isOwn(type) && !(type.flags & ts.SymbolFlags.TypeParameter) && !found.has(type)) {
      // A computing type that its file doesn't export is a step of a computation.
      found.set(type, isExported(type) ? !(isInside && isComputing(type)) : !isInside && !isComputing(type));
      if (isComputing(type)) typesIn(type, found, true);
    }
    ts.forEachChild(node, visit);
  };
  const tables = new Set();
  const visitTable = (node) => {
    const named = ts.isTypeReferenceNode(node) && checker.getSymbolAtLocation(node.typeName);
    const table = named && original(named);
    if (!isOwn(table) || !(table.flags & ts.SymbolFlags.Interface) || tables.has(table)) return;
    tables.add(table);
    for (const declaration of table.declarations) ts.forEachChild(declaration, visit);
  };
  statementsOf(symbol).forEach(visit);
  return found;
}

const known = new Map(
  [...entries].map(([entry, file]) => {
    const symbols = exportsOf(program.getSourceFile(file)).map((symbol) => [symbol.name, original(symbol)]);
    return [entry, new Map(symbols.sort(byName))];
  }),
);
const further = new Map();
function addTypesOf(symbol, own) {
  for (const [type, isToName] of typesIn(symbol)) {
    if (!isToName || own.has(type) || exported.has(type) || further.get(type.name) === type) continue;
    const at = sourceOf(type).fileName.slice(declarations.length);
    // Two files may have a step of the same name.
    if (further.has(type.name) && isComputing(type)) continue;
    if (further.has(type.name)) faults.add(`Two types have the name ${type.name}; one is in ${at}.`);
    else if (!at.startsWith('src/')) faults.add(`${symbol.name} names ${type.name} of ${at}: export it beside.`);
    else if (!isExported(type)) faults.add(`${symbol.name} names ${type.name} of ${at}, which is not exported.`);
    else {
      further.set(type.name, type);
      if (!isComputing(type)) addTypesOf(type, new Set());
    }
  }
}
const exported = new Set([...known].flatMap(([entry, symbols]) => (entry === TYPES ? [] : [...symbols.values()])));
for (const [entry, symbols] of known) {
  if (entry === TYPES) continue;
  const own = new Set(symbols.values());
  for (const symbol of own) addTypesOf(symbol, own);
}

const lines = [...further].sort(byName).map(([name, type]) => {
  const file = sourceOf(type).fileName.slice(declarations.length).replace('.d.ts', '.ts');
  return `export type { ${name} } from '${file.replace('src/', './')}';\n`;
});
const HEAD = `/**
 * \`edgeloom/types\`: the types that public signatures use and that no other entry point exports. It has no code at run time.
 * \`npm run api\` writes this file.
 */

`;
const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '--stdin-file-path=src/types.ts'];
const pages = new Map([
  [
    'src/types.ts',
    execFileSync(process.execPath, biome, { cwd: root, input: HEAD + lines.join(''), encoding: 'utf8' }),
  ],
]);
for (const [entry, symbols] of known) {
  const texts = [...symbols].map(([name, symbol]) => {
    const printed = statementsOf(symbol).map((one) =>
      printer.printNode(ts.EmitHint.Unspecified, one, one.getSourceFile()),
    );
    return `### ${name}\n\n\`\`\`ts\n${printed.join('\n')}\n\`\`\`\n`;
  });
  const head = `# ${entry}\n\n\`npm run api\` writes this page. It has ${texts.length} exports.\n`;
  pages.set(`api/${entry.replace('/', '-')}.md`, [head, ...texts].join('\n'));
}

const changed = [...pages].filter(
  ([path, text]) => !existsSync(root + path) || readFileSync(root + path, 'utf8') !== text,
);
if (process.argv.includes('--check')) {
  if (changed.length > 0)
    faults.add(`${changed.map(([path]) => path).join(', ')}: not as built. Run npm run api, and commit.`);
} else if (faults.size === 0) {
  rmSync(`${root}api`, { recursive: true, force: true });
  mkdirSync(`${root}api`);
  for (const [path, text] of pages) writeFileSync(root + path, text);
  if (changed.some(([path]) => path === 'src/types.ts')) {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: root });
    execFileSync(process.execPath, process.argv.slice(1), { cwd: root, stdio: 'inherit' });
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.size > 0 ? 1 : 0;
