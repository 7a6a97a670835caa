const { join } = require('node:path');
const { createJiti } = require('jiti');

/** What serverless.yml takes from the sources, which are TypeScript: it reads CommonJS only. */

const jiti = createJiti(__filename);
const value = (name) => async (context) => {
  const { serverlessValues } = await jiti.import('../src/deployment/stack/serverless.ts');
  return await serverlessValues({ modelFile: join(__dirname, '..', 'edgeloom.config.ts') })[name](context);
};

module.exports = { functions: value('functions'), resources: value('resources'), stackPolicy: value('stackPolicy') };
