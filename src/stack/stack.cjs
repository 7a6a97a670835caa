const { join } = require('node:path');
const { createJiti } = require('jiti');

/** What serverless.yml takes from TypeScript: it reads CommonJS only. */

const jiti = createJiti(__filename);

async function load() {
  const { loadModel } = await jiti.import('../cli/session/load-model.ts');
  return await loadModel(join(__dirname, '../..', 'edgeloom.config.ts'));
}

module.exports = {
  /** The event source mapping's filter. */
  async filterPatterns() {
    const { streamFilterPattern } = await jiti.import('../stream/filter.ts');
    return [streamFilterPattern((await load()).table.sortKey)];
  },

  /** Everything but the functions. */
  async resources({ resolveVariable }) {
    const { PARAMETER_NAMES, readParameters } = await jiti.import('./parameters.ts');
    const { stack } = await jiti.import('./stack.ts');
    const values = await Promise.all(PARAMETER_NAMES.map((name) => resolveVariable(`param:${name}`)));
    const parameters = readParameters(Object.fromEntries(PARAMETER_NAMES.map((name, i) => [name, values[i]])));
    const prefix = `${await resolveVariable('self:service')}-${await resolveVariable('sls:stage')}`;
    return stack(await load(), prefix, parameters);
  },
};
