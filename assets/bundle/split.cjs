const { rm } = require('node:fs/promises');
const { basename, extname, resolve } = require('node:path');

/**
 * Puts what is imported on demand into files of their own, so that a cold start does not read it: the SDK above all. The files
 * of a function begin with its name, by which serverless-esbuild leaves them out of the packages of others.
 */
const split = {
  name: 'split',
  setup({ initialOptions: options, onEnd }) {
    if (options.format !== 'esm' || options.outdir === undefined) return;
    options.splitting ??= true;
    options.metafile = true;
    const folder = options.absWorkingDir ?? process.cwd();
    const entries = Array.isArray(options.entryPoints) ? options.entryPoints.map(String) : [];
    if (entries.length === 1) {
      options.chunkNames ??= `${basename(entries[0], extname(entries[0]))}.[name]-[hash]`;
    }
    onEnd(async ({ metafile }) => {
      if (metafile === undefined || options.write === false) return;
      const needed = reachedFrom(new Set(entries.map((path) => resolve(folder, path))), metafile.outputs, folder);
      // esbuild also writes what is imported by code that it left out.
      const rest = Object.keys(metafile.outputs).filter((path) => !needed.has(path.replace(/\.map$/, '')));
      if (needed.size > 0) await Promise.all(rest.map((path) => rm(resolve(folder, path), { force: true })));
    });
  },
};

/** The written files that the entry points import, now or on demand; the entry points' own are among them. */
function reachedFrom(entries, outputs, folder) {
  const isOwn = ({ entryPoint }) => entryPoint !== undefined && entries.has(resolve(folder, entryPoint));
  const reached = new Set(Object.keys(outputs).filter((path) => isOwn(outputs[path])));
  for (const path of reached) {
    for (const { path: imported, external } of outputs[path].imports) if (!external) reached.add(imported);
  }
  return reached;
}

module.exports = split;
