import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileOf, importsOf, resolveImport, type Source, sources } from '../support/sources.ts';

/** Rules of style that a compiler does not check. Each list of offenders names file and finding. */

const SOURCES = sources();
const SRC = dirname(fileOf('index.ts'));
/** The rest that the core may import: errors, and the pages of a store that is handed to it. */
const BESIDE_CORE = new Set(['foundation/describe.ts', 'foundation/errors.ts', 'core/store-pages.ts']);
const CORE = /^core\/(items|model|kinds|plan)\/|^trust\/check\/parts\.ts$/;
/** What neither depends on the time nor on the machine. */
const PURE_PACKAGES = new Set(['@standard-schema/spec', 'node:crypto']);
const IMPURE: [name: string, forbidden: RegExp][] = [
  ['no clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\b|\bsetTimeout\b|\bsetInterval\b/],
  ['no chance', /\bMath\.random\b/],
  ['no environment', /\bprocess\b|\bimport\.meta\b/],
];
/** The entries of the published package. */
const ENTRIES: ReadonlySet<string> = new Set([
  ...['index.ts', 'admin.ts', 'feed.ts', 'types.ts', 'packages/local/index.ts'],
  ...['lambda', 'stack', 'telemetry'].map((name) => `deployment/${name}/index.ts`),
]);
const core = SOURCES.filter(({ path }) => CORE.test(path));

/** `path: specifier` of every import that a rule does not allow. */
function offending(files: readonly Source[], isAllowed: (specifier: string, path: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => !isAllowed(specifier, file.path))
      .map(({ specifier }) => `${file.path}: ${specifier}`),
  );
}

describe('the walk through the sources', () => {
  it('finds files and their imports', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
    const folders = new Set(core.map(({ path }) => CORE.exec(path)![0]));
    // A folder that moves takes its rule along.
    expect([...folders].sort()).toEqual([
      ...['core/items/', 'core/kinds/', 'core/model/', 'core/plan/', 'trust/check/parts.ts'],
    ]);
    const table = SOURCES.find(({ path }) => path === 'store/table-description.ts')!;
    expect(importsOf(table).map((found) => resolveImport(table, found))).toContain('core/items/stream-arn.ts');
  });
});

describe('the core (items, model, kinds, plan, digests)', () => {
  it('imports no SDK and nothing of Node but hashing', () => {
    expect(offending(core, (specifier) => specifier.startsWith('.') || PURE_PACKAGES.has(specifier))).toEqual([]);
  });

  it('imports of the rest of the program only types, errors, and descriptions of values', () => {
    const outside = core.flatMap((file) =>
      importsOf(file)
        .filter((found) => !found.isType)
        .map((found) => resolveImport(file, found))
        .filter((path) => path !== undefined && !BESIDE_CORE.has(path) && !CORE.test(path))
        .map((path) => `${file.path}: ${path}`),
    );
    expect(outside).toEqual([]);
  });

  it.each(IMPURE)('has %s', (_name, forbidden) => {
    const found = core.filter(({ code }) => forbidden.test(code)).map(({ path }) => path);
    expect(found).toEqual([]);
  });
});

/** The files that these need at run time, with themselves. */
function reachedFrom(paths: readonly string[]): Source[] {
  const byPath = new Map(SOURCES.map((file) => [file.path, file]));
  const reached = new Set(paths);
  for (const path of reached) {
    const file = byPath.get(path)!;
    for (const found of importsOf(file)) {
      const imported = found.isType ? undefined : resolveImport(file, found);
      if (imported !== undefined) reached.add(imported);
    }
  }
  return [...reached].map((path) => byPath.get(path)!);
}

describe('comparing, with everything that it imports', () => {
  const files = reachedFrom(['trust/check/partition.ts']);

  it('goes by the kinds', () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['core/kinds/all-kinds.ts', 'core/kinds/copy.ts']));
  });
  it('imports no SDK and nothing of Node but hashing', () => {
    expect(offending(files, (specifier) => specifier.startsWith('.') || PURE_PACKAGES.has(specifier))).toEqual([]);
  });
  it('has no clock, no chance, no environment', () => {
    const impure = new RegExp(IMPURE.map(([, forbidden]) => forbidden.source).join('|'));
    expect(files.filter(({ code }) => impure.test(code)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the SDK', () => {
  it('for data is imported in src/store alone', () => {
    const isData = (specifier: string): boolean => /^@aws-sdk\/(client-dynamodb|lib-dynamodb)$/.test(specifier);
    const found = SOURCES.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, isType }) => isData(specifier) && !isType)
        .map(() => file.path),
    );
    expect(found.filter((path) => !path.startsWith('store/'))).toEqual([]);
  });
  it('for streams is imported in the folders that read streams', () => {
    const isAllowed = (specifier: string, path: string): boolean =>
      specifier !== '@aws-sdk/client-dynamodb-streams' ||
      /^(store|stream|client\/feed|projecting\/worker|packages\/local|trust\/(repair|failures))\//.test(path);
    expect(offending(SOURCES, isAllowed)).toEqual([]);
  });
});

/** Where derived sort keys and index partitions are made; everybody else has them from the places of a projection. */
const CODEC = ['core/items/derived-key.ts', 'core/items/key-forms.ts', 'core/items/keys.ts'];
const FACTORY = ['core/model/projection/index-places.ts', 'core/model/projection/places.ts'];

describe('derived sort keys and index partitions', () => {
  const importing = (path: string): string[] =>
    SOURCES.filter((file) => importsOf(file).some((found) => resolveImport(file, found) === path))
      .map((file) => file.path)
      .sort();
  const naming = (pattern: RegExp): string[] =>
    SOURCES.filter(({ code }) => pattern.test(code))
      .map(({ path }) => path)
      .sort();

  it('are formed by the codec and the factory of places alone', () => {
    expect(importing('core/items/key-forms.ts')).toEqual(['core/items/derived-key.ts', ...FACTORY]);
    expect(naming(/\bformatIndexPartition\b/)).toEqual(FACTORY);
    expect(naming(/\bparseIndexPartition\b/)).toEqual([
      'core/kinds/index-item.ts',
      'core/model/projection/index-places.ts',
    ]);
    expect(importing('core/items/generation.ts')).toEqual([...CODEC.slice(0, 2), FACTORY[0]]);
  });
  it('are no other text: nobody else takes one for them', () => {
    expect(naming(/\bas (DerivedSortKey|IndexPartitionKey)\b/)).toEqual([...CODEC, ...FACTORY].sort());
  });
  it('are in no literal elsewhere', () => {
    // Of the quarantine: the index partition of its entries. Of the command line: an example for people.
    expect(naming(/['"`]~(?:view|ix|rev|degree|more|quarantine)\b/)).toEqual([
      'core/items/key-forms.ts',
      'core/items/keys.ts',
      'core/plan/quarantine-entry.ts',
      'packages/cli/commands/trust/explain.ts',
    ]);
    expect(naming(/from: 'A', to: '\['/)).toEqual(['core/items/keys.ts']);
    expect(naming(/startsWith\(['"`]~/)).toEqual([]);
  });
  it('have their places from the model, and from what the registry compiles', () => {
    expect(naming(/\bnew (?:Search|Order|EdgeItem|Count)Places\(/)).toEqual([
      ...['core/model/compile/definitions.ts', 'core/model/compile/due-list.ts', 'core/model/compile/inbound.ts'],
      ...['core/model/projection/index-places.ts', 'core/model/projection/places.ts'],
      ...['core/model/projection/search-pack.ts', 'registry/layer.ts'],
    ]);
  });
});

/** Who creates generations, makes their places, or shows them to people. */
const OF_GENERATIONS =
  /^(core\/(items|model\/projection|kinds)|registry|migrate|packages\/(cli|cost|studio|workbench))\/|^trust\/explain\/(explain|status)\.ts$|^foundation\/error-code\.ts$/;

describe('generations of projections', () => {
  it('are named by nobody else', () => {
    const found = SOURCES.filter(({ path, code }) => !OF_GENERATIONS.test(path) && /\bgeneration\b/.test(code));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

/** The rooms of `src`, then the packages, in the order of their imports. */
const ROOMS = [
  ...['foundation', 'core', 'store', 'registry', 'stream', 'client', 'sources', 'reconcile', 'projecting', 'trust'],
  ...['migrate', 'deployment'],
  ...['packages/local', 'packages/cost', 'packages/studio', 'packages/workbench', 'packages/cli'],
];
const PACKAGE = /^packages\/[^/]+/;

/** The room of a file; `.` for the files that lie in `src` itself. */
function roomOf(path: string): string {
  return PACKAGE.exec(path)?.[0] ?? (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.');
}

/** What the package.json of a room names as dependencies. */
function dependenciesOf(room: string): string[] {
  const manifest = JSON.parse(readFileSync(fileOf(`${room}/package.json`), 'utf8')) as { dependencies: object };
  return Object.keys(manifest.dependencies);
}

/** The package that an import is from, as `zod` of `zod/mini`; undefined for modules of Node. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The name of another package of ours; undefined for the room itself, and for `src`, which all may import. */
function nameOfRoom(room: string, own: string): string | undefined {
  return room === own || !PACKAGE.test(room) ? undefined : room.replace('packages', '@edgeloom');
}

describe('imports', () => {
  const imported = new Map(
    SOURCES.map((file) => {
      const found = importsOf(file).map((one) => resolveImport(file, one));
      return [file.path, found.filter((path) => path !== undefined)];
    }),
  );

  it('make no circle of files, imports of types included', () => {
    expect(cycles(imported)).toEqual([]);
  });
  /** The folders that the files of each folder import from; `folderOf` says which folder a file counts for. */
  function folders(folderOf: (path: string) => string): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Set<string>>();
    for (const [path, imports] of imported) {
      const own = folderOf(path);
      const others = imports.map(folderOf).filter((folder) => folder !== own && folder !== '.');
      if (own !== '.') found.set(own, new Set([...(found.get(own) ?? []), ...others]));
    }
    return new Map([...found].map(([folder, others]) => [folder, [...others]]));
  }

  it('make no circle of folders, imports of types included', () => {
    expect(cycles(folders(dirname))).toEqual([]);
  });
  it('go from each room to those before it alone, imports of types included', () => {
    const rooms = folders(roomOf);
    expect([...rooms.keys()].sort()).toEqual([...ROOMS].sort());
    const forward = [...rooms].flatMap(([room, others]) =>
      others.filter((other) => ROOMS.indexOf(other) >= ROOMS.indexOf(room)).map((other) => `${room} -> ${other}`),
    );
    expect(forward).toEqual([]);
  });
  it('are those that the package.json of a package names: of packages, ours and of others', () => {
    const foreign = SOURCES.filter(({ path }) => PACKAGE.test(path)).flatMap((file) => {
      const own = roomOf(file.path);
      const names = dependenciesOf(own);
      return importsOf(file).flatMap((found) => {
        const path = resolveImport(file, found);
        const name = path === undefined ? packageOf(found.specifier) : nameOfRoom(roomOf(path), own);
        return name === undefined || names.includes(name) ? [] : [`${file.path}: ${name}`];
      });
    });
    expect(foreign).toEqual([]);
  });
  it('use all that the package.json of a package names', () => {
    const unused = ROOMS.filter((room) => PACKAGE.test(room)).flatMap((room) => {
      const used = new Set(
        SOURCES.filter(({ path }) => roomOf(path) === room).flatMap((file) =>
          importsOf(file).map((found) => {
            const path = resolveImport(file, found);
            return path === undefined ? packageOf(found.specifier) : nameOfRoom(roomOf(path), room);
          }),
        ),
      );
      return dependenciesOf(room)
        .filter((name) => !used.has(name))
        .map((name) => `${room}: ${name}`);
    });
    expect(unused).toEqual([]);
  });
  it('go in the order in which the document has the rooms', () => {
    const document = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
    expect([...document.matchAll(/^\| \*\*`([\w/]+)\/`\*\*/gm)].map(([, room]) => room)).toEqual(ROOMS);
  });
  it('name files that are there, with their ending', () => {
    const paths = new Set(SOURCES.map(({ path }) => path));
    const missing = SOURCES.flatMap((file) =>
      importsOf(file)
        .map((found) => resolveImport(file, found))
        .filter((path) => path !== undefined && path.startsWith('..') === false && !paths.has(path))
        .map((path) => `${file.path}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('comments', () => {
  /** Files that a comment names, such as `look.ts` next to it, `store/dynamodb.ts` or `docs/how-to/errors.md`. */
  const named = ({ path, text }: Source): string[] =>
    [...text.matchAll(/^\s*(?:\*|\/\*\*|\/\/).*$/gm)].flatMap(([comment]) =>
      [...comment.matchAll(/`([\w./-]+\.(?:tsx?|mjs|md|yml))`/g)]
        .map(([, file]) => file!)
        .filter((file) => ![dirname(fileOf(path)), SRC, dirname(SRC)].some((folder) => existsSync(join(folder, file))))
        .map((file) => `${path}: ${file}`),
    );

  it('name files that are there', () => {
    expect(SOURCES.flatMap(named)).toEqual([]);
    expect(named({ path: 'store/x.ts', text: '/** See `gone.ts` and `client.ts`. */', code: '' })).toEqual([
      'store/x.ts: gone.ts',
    ]);
  });
});

describe("the runtime's clock, wait and chance", () => {
  it('are options for tests alone, which the declarations leave out', () => {
    const published = SOURCES.flatMap(({ path, text }) =>
      [...text.matchAll(/^(.*)\n {2}(wait|random|now)\?: RuntimeOptions\[/gm)]
        .filter(([, before]) => !before!.endsWith('@internal */'))
        .map(([, , name]) => `${path}: ${name}`),
    );
    expect(published).toEqual([]);
  });
});

describe('every function, class, interface and type of the published package', () => {
  it('has a doc comment', () => {
    const published = new Set(SOURCES.filter(({ path }) => ENTRIES.has(path)).flatMap(publishedNames));
    expect(published.size).toBeGreaterThan(200);
    expect(SOURCES.flatMap(undocumented).filter((found) => published.has(found))).toEqual([]);
  });
});

/** Lists an entry's exports from other files as `path: name`. */
function publishedNames(entry: Source): string[] {
  return [...entry.code.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, specifier]) => {
    const path = resolveImport(entry, { specifier: specifier!, isType: false });
    return names!
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      )
      .filter((name) => name !== '')
      .map((name) => `${path}: ${name}`);
  });
}

/** The cycles of a graph, each as the way around it. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) {
      found.add([...way.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return [...found];
}

/** `path: name` of every exported declaration without a doc comment right before it; of overloads the first has it. */
function undocumented({ path, text }: Source): string[] {
  const lines = text.split('\n');
  const missing: string[] = [];
  let previous = '';
  for (const [i, line] of lines.entries()) {
    const match = /^export (?:default )?(?:async |abstract |declare )*(?:function\*?|class|interface|type) (\w+)/.exec(
      line,
    );
    if (match === null) continue;
    const name = match[1]!;
    let before = i - 1;
    while (before >= 0 && /^\/\/ biome-ignore/.test(lines[before]!)) before -= 1;
    if (!lines[before]?.trimEnd().endsWith('*/') && name !== previous) missing.push(`${path}: ${name}`);
    previous = name;
  }
  return missing;
}
