const { mkdir, readFile, rm, writeFile } = require('node:fs/promises');
const { dirname, join, relative } = require('node:path');
const { build } = require('esbuild');
const { zipSync } = require('fflate');
const plugins = require('./bundle/functions.cjs');

/** The earliest time that a zip can store. With a fixed time, the same code makes the same package. */
const NO_TIME = new Date(1980, 0, 1);

/** A plugin for the Serverless Framework that bundles each function of this repository. */
class PackageFunctions {
  constructor(serverless) {
    const bundle = () => packageAll(serverless);
    this.hooks = {
      'before:package:createDeploymentArtifacts': bundle,
      'before:package:function:package': bundle,
    };
  }
}

async function packageAll({ service, serviceDir }) {
  const folder = join(serviceDir, '.serverless');
  await mkdir(folder, { recursive: true });
  const zips = new Map();
  for (const name of service.getAllFunctions()) {
    const definition = service.getFunction(name);
    const zip = join(folder, `${name}.zip`);
    const handler = definition.handler.replace(/\.\w+$/, '');
    if (!zips.has(handler)) zips.set(handler, await zipped(handler, serviceDir));
    await writeFile(zip, zips.get(handler));
    definition.package = { ...definition.package, artifact: zip };
  }
}

async function zipped(handler, root) {
  const out = join(root, '.esbuild', handler);
  await rm(out, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`${handler}.ts`],
    outdir: join(out, dirname(handler)),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    plugins,
    // Some dependencies are CommonJS and require Node's own modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs).map((path) => join(root, path));
  const contents = await Promise.all(files.map((path) => readFile(path).catch(ifAbsent)));
  const entries = files.flatMap((path, i) => (contents[i] === undefined ? [] : [[relative(out, path), contents[i]]]));
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: NO_TIME });
}

/** The bundle's plugins remove files that only unused code imports. */
function ifAbsent(error) {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

module.exports = PackageFunctions;
