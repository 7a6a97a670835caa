const { join } = require('node:path');
const { createJiti } = require('jiti');

/** Gives serverless.yml, which can load only CommonJS, values from the TypeScript sources. */

const jiti = createJiti(__filename);
const value = (name) => async (context) => {
  const { serverlessValues } = await jiti.import('../src/deployment/stack/serverless.ts');
  return await serverlessValues({ modelFile: join(__dirname, '..', 'edgeloom.config.ts') })[name](context);
};

module.exports = { functions: value('functions'), resources: value('resources'), stackPolicy: value('stackPolicy') };
